// SPDX-License-Identifier: BSD-3-Clause
// net: any pair of ranks. The fused exchange of the sender's device packs into a send buffer, a network engine puts that into a
// landing buffer of the other rank, and the fused exchange of the receiver's device unpacks it (docs/decisions/0066-net.md).
#include <algorithm>

#include "exchange/detail/tags.hpp"
#include "exchange/net/network.hpp"
#include "exchange/transport/factory.hpp"
#include "exchange/transport/remote_flag.hpp"

namespace halocline::exchange {
namespace {

/// The two slots of one way of a port, with their flags in the subdomain's mailbox.
class Slots {
 public:
  void reserve(Mailbox& mailbox, device::Backend& backend, std::int64_t cells_bytes) {
    mailbox_ = &mailbox;
    flags_ = mailbox.reserve_flags(2);
    const std::size_t bytes = std::max(static_cast<std::size_t>(cells_bytes), net::text_bytes);
    for (auto& message : messages_) message = backend.allocate_pinned(sizeof(net::Header) + bytes);
  }
  [[nodiscard]] device::Flag* flag(int turn) const { return Mailbox::nth(mailbox_->flag(flags_), turn); }
  [[nodiscard]] std::byte* cells(std::size_t turn) const { return messages_[turn]->data() + sizeof(net::Header); }
  [[nodiscard]] net::Slot slot(int turn) const {
    const device::Buffer& message = *messages_[static_cast<std::size_t>(turn)];
    return {flag(turn), {message.data(), message.bytes()}};
  }

 private:
  Mailbox* mailbox_ = nullptr;
  std::size_t flags_ = 0;
  std::array<std::unique_ptr<device::Buffer>, 2> messages_;
};

/// Either end of a message: cells go one way, `ready` the other.
class NetEnd final : public FusedEndpoint {
 public:
  NetEnd(const Channel& channel, Context& context, bool sends)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(sends ? channel.message.from : channel.message.to)),
        sends_(sends),
        guard_(make_guard(channel, context, sends ? "ready" : "arrived")) {}

  void reserve() override {
    const std::int64_t capacity = payload_capacity(channel_->message);
    out_.reserve(state_->mailbox, *context_->backend, sends_ ? capacity : 0);
    in_.reserve(state_->mailbox, *context_->backend, sends_ ? 0 : capacity);
  }

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
    const auto pack = [&](std::size_t turn) { return pack_copies(payload, state_->memory, out_.cells(turn)); };
    const auto unpack = [&](std::size_t turn) { return unpack_copies(payload, state_->received, in_.cells(turn)); };
    if (sends_) {
      participant.puts.push_back({{pack(0), pack(1)}, signal, wait});
    } else {
      participant.landings.push_back({signal, wait, {unpack(0), unpack(1)}});
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
