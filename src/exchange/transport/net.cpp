// SPDX-License-Identifier: BSD-3-Clause
// net: any pair of ranks. The fused exchange of the sender's device packs into a send buffer, a network engine puts that into a
// landing buffer of the other rank, and the fused exchange of the receiver's device unpacks it (docs/decisions/0066-net.md).
#include <fmt/core.h>

#include <algorithm>
#include <new>

#include "core/round_up.hpp"
#include "exchange/detail/split_payload.hpp"
#include "exchange/detail/tags.hpp"
#include "exchange/net/network.hpp"
#include "exchange/transport/factory.hpp"
#include "exchange/transport/remote_flag.hpp"

namespace halocline::exchange {
namespace {

/// The two slots of one way of a port, with their flags: pinned memory, which the device, the engine and MPI access.
class Slots {
 public:
  Slots(device::Backend& backend, std::int64_t cells_bytes)
      : slot_bytes_(aligned(sizeof(net::Header) + std::max(static_cast<std::size_t>(cells_bytes), net::text_bytes))),
        memory_(backend.allocate_pinned(2 * (flag_bytes + slot_bytes_))) {
    for (int turn = 0; turn < 2; ++turn) new (flag(turn)) device::Flag{};
  }
  [[nodiscard]] device::Flag* flag(int turn) const {
    return reinterpret_cast<device::Flag*>(memory_->data() + flag_bytes * static_cast<std::size_t>(turn));
  }
  /// Of even exchanges.
  [[nodiscard]] std::byte* cells() const { return message(0) + sizeof(net::Header); }
  /// Bytes from there to the cells of odd exchanges.
  [[nodiscard]] std::ptrdiff_t to_odd() const { return static_cast<std::ptrdiff_t>(slot_bytes_); }
  [[nodiscard]] net::Slot slot(int turn) const { return {flag(turn), {message(turn), slot_bytes_}}; }

 private:
  static constexpr std::size_t flag_bytes = 128;  ///< so that flags do not share lines
  static constexpr std::size_t aligned(std::size_t bytes) { return round_up(bytes, flag_bytes); }
  [[nodiscard]] std::byte* message(int turn) const {
    return memory_->data() + 2 * flag_bytes + slot_bytes_ * static_cast<std::size_t>(turn);
  }

  std::size_t slot_bytes_;
  std::unique_ptr<device::Buffer> memory_;
};

/// Either end of a message: cells go one way, `ready` the other. A large message is sent in parts with a port each, so that one is packed
/// and another one unpacked while others are on their way.
class NetEnd final : public FusedEndpoint {
 public:
  NetEnd(const Channel& channel, Context& context, bool sends)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(sends ? channel.message.from : channel.message.to)),
        sends_(sends),
        guard_(make_guard(channel, context, sends ? "ready" : "arrived")) {
    const int parts = pieces_of(payload_capacity(channel.message), context.tuning.staging_chunk_bytes);
    const std::int64_t capacity = part_capacity(channel.message, parts);
    for (int k = 0; k < parts; ++k) {
      ports_.push_back({Slots(*context.backend, sends ? capacity : 0), Slots(*context.backend, sends ? 0 : capacity)});
    }
  }

  /// Nothing was published: both ends have tags and lengths from the plan.
  void connect(ByteReader& /*reader*/) override {
    for (std::size_t k = 0; k < ports_.size(); ++k) {
      Port& port = ports_[k];
      const int cells = context_->network->next_tag(channel_->sender, channel_->receiver, sends_);
      const int ready = tags::ready(cells);
      const std::string part = ports_.size() > 1 ? fmt::format(", part {}", k) : "";
      port.number = context_->network->engine().open({.label = channel_->label() + part,
                                                      .peer = sends_ ? channel_->receiver : channel_->sender,
                                                      .out_tag = sends_ ? cells : ready,
                                                      .in_tag = sends_ ? ready : cells,
                                                      .out = {port.out.slot(0), port.out.slot(1)},
                                                      .in = {port.in.slot(0), port.in.slot(1)}});
    }
  }

  void watch(std::vector<const device::Flag*>& flags) const override {
    for (const Port& port : ports_) {
      for (int turn = 0; turn < 2; ++turn) flags.push_back(port.in.flag(turn));
    }
  }

  void prepare(const ExchangePlan& plan) override {
    const std::vector<Payload> parts = parts_in(plan);
    for (std::size_t k = 0; k < ports_.size(); ++k) {
      const auto bytes = static_cast<std::size_t>(sends_ ? parts[k].bytes : 0);
      context_->network->engine().announce(ports_[k].number, plan.token, bytes);
    }
  }

  void contribute(const ExchangePlan& plan, device::Participant& participant,
                  std::vector<device::StridedCopy>& /*local*/) override {
    const std::vector<Payload> parts = parts_in(plan);
    for (std::size_t k = 0; k < ports_.size(); ++k) {
      const Port& port = ports_[k];
      const device::FlagSignal signal{port.out.flag(0), plan.token, port.out.flag(1)};
      const device::FlagWait wait{port.in.flag(0), plan.token, guard_, nullptr, port.in.flag(1)};
      const int stage = static_cast<int>(k);
      if (sends_) {
        participant.puts.push_back(
            {pack_copies(parts[k], state_->memory, port.out.cells()), port.out.to_odd(), signal, wait, stage});
      } else {
        participant.landings.push_back(
            {signal, wait, unpack_copies(parts[k], state_->received, port.in.cells()), port.in.to_odd(), stage});
      }
    }
  }

 private:
  struct Port {
    Slots out;
    Slots in;
    std::size_t number = 0;
  };
  [[nodiscard]] std::vector<Payload> parts_in(const ExchangePlan& plan) const {
    return in_parts(payload_of(channel_->message, plan.selection), static_cast<int>(ports_.size()));
  }

  const Channel* channel_;
  Context* context_;
  SubdomainState* state_;
  bool sends_;
  std::shared_ptr<const device::WaitGuard> guard_;
  std::vector<Port> ports_;
};

}  // namespace

Ends make_net(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<NetEnd>(channel, context, true);
  if (receives) ends.receiver = std::make_unique<NetEnd>(channel, context, false);
  return ends;
}

}  // namespace halocline::exchange
