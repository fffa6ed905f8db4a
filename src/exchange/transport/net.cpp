// SPDX-License-Identifier: BSD-3-Clause
// net: any pair of ranks. The fused exchange of the sender's device packs into a send buffer, a network engine puts that into a
// landing buffer of the other rank, and the fused exchange of the receiver's device unpacks it (docs/decisions/0066-net.md).
#include <algorithm>
#include <new>

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
  /// From there to those of odd ones.
  [[nodiscard]] std::ptrdiff_t to_odd() const { return static_cast<std::ptrdiff_t>(slot_bytes_); }
  [[nodiscard]] net::Slot slot(int turn) const { return {flag(turn), {message(turn), slot_bytes_}}; }

 private:
  static constexpr std::size_t flag_bytes = 128;  ///< so that flags do not share lines
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + flag_bytes - 1) / flag_bytes * flag_bytes; }
  [[nodiscard]] std::byte* message(int turn) const {
    return memory_->data() + 2 * flag_bytes + slot_bytes_ * static_cast<std::size_t>(turn);
  }

  std::size_t slot_bytes_;
  std::unique_ptr<device::Buffer> memory_;
};

/// Either end of a message: cells go one way, `ready` the other.
class NetEnd final : public FusedEndpoint {
 public:
  NetEnd(const Channel& channel, Context& context, bool sends)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(sends ? channel.message.from : channel.message.to)),
        sends_(sends),
        guard_(make_guard(channel, context, sends ? "ready" : "arrived")),
        out_(*context.backend, sends ? payload_capacity(channel.message) : 0),
        in_(*context.backend, sends ? 0 : payload_capacity(channel.message)) {}

  /// Nothing was published: both ends have tags and lengths from the plan.
  void connect(ByteReader& /*reader*/) override {
    const int ready = tags::ready(channel_->tag);
    port_ = context_->network->engine().open({.label = channel_->label(),
                                              .peer = sends_ ? channel_->receiver : channel_->sender,
                                              .out_tag = sends_ ? channel_->tag : ready,
                                              .in_tag = sends_ ? ready : channel_->tag,
                                              .out = {out_.slot(0), out_.slot(1)},
                                              .in = {in_.slot(0), in_.slot(1)}});
  }

  void watch(std::vector<const device::Flag*>& flags) const override {
    for (int turn = 0; turn < 2; ++turn) flags.push_back(in_.flag(turn));
  }

  void prepare(const ExchangePlan& plan) override {
    const std::int64_t bytes = sends_ ? payload_of(channel_->message, plan.selection).bytes : 0;
    context_->network->engine().announce(port_, plan.token, static_cast<std::size_t>(bytes));
  }

  void contribute(const ExchangePlan& plan, device::Participant& participant,
                  std::vector<device::StridedCopy>& /*local*/) override {
    const Payload payload = payload_of(channel_->message, plan.selection);
    const device::FlagSignal signal{out_.flag(0), plan.token, out_.flag(1)};
    const device::FlagWait wait{in_.flag(0), plan.token, guard_, nullptr, in_.flag(1)};
    if (sends_) {
      participant.puts.push_back({pack_copies(payload, state_->memory, out_.cells()), out_.to_odd(), signal, wait});
    } else {
      participant.landings.push_back(
          {signal, wait, unpack_copies(payload, state_->received, in_.cells()), in_.to_odd()});
    }
  }

 private:
  const Channel* channel_;
  Context* context_;
  SubdomainState* state_;
  bool sends_;
  std::shared_ptr<const device::WaitGuard> guard_;
  Slots out_;
  Slots in_;
  std::size_t port_ = 0;
};

}  // namespace

Ends make_net(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<NetEnd>(channel, context, true);
  if (receives) ends.receiver = std::make_unique<NetEnd>(channel, context, false);
  return ends;
}

}  // namespace halocline::exchange
