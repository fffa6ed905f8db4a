// SPDX-License-Identifier: BSD-3-Clause
// nccl: devices of any two ranks that can be in one communicator. The device packs all messages of a subdomain as one operation, NCCL
// sends and receives them as one group, in stream order, and the schedule compares their headers and unpacks. No host takes part.
//
// NCCL's kernel waits for other devices, as the fused exchange may. On each device it follows a fused exchange that does: neither can
// then keep the other's blocks from becoming resident on two devices in turn.
#include <fmt/core.h>

#include "exchange/detail/device_messages.hpp"
#include "exchange/detail/fusion.hpp"
#include "exchange/nccl/communicators.hpp"
#include "exchange/transport/factory.hpp"

namespace halocline::exchange {

/// What the ends at one subdomain share.
class NcclMessages {
 public:
  NcclMessages(Context& context, SubdomainState& state)
      : messages(context, state, routing::Transport::nccl),
        context_(&context),
        state_(&state),
        communicator_(&context.communicators->of(state.device())),
        stream_(context.backend->create_stream(state.device(), device::Priority::high,
                                               fmt::format("subdomain {}: nccl", state.subdomain.id.value()))),
        sent_(context.backend->create_event(state.device())) {}

  void reserve() { done_at_ = state_->mailbox.reserve_flags(1); }

  void add_send(const Channel& channel) {
    sends_.push_back({&channel, context_->communicators->number_of(channel.message.to)});
  }
  void add_receive(const Channel& channel) {
    receives_.push_back({&channel, context_->communicators->number_of(channel.message.from)});
  }

  void allocate() {
    messages.allocate([&](std::size_t bytes) { return communicator_->allocate(bytes); },
                      {state_->mailbox.epoch(), state_->mailbox.epoch()});
    nccl::Communicators::Progress progress{state_->device(), state_->mailbox.epoch(), &done()->epoch};
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      progress.arrived.push_back(messages.epoch_of(i));
      progress.labels.push_back(receives_[i].channel->label());
    }
    for (const Peer& send : sends_) progress.labels.push_back(send.channel->label());
    context_->communicators->watch(std::move(progress));
  }

  void prepare(const ExchangePlan& plan) { messages.prepare(plan, state_->counted_by_packing); }

  void send(const ExchangePlan& plan) {
    stream_->wait(*state_->open);
    messages.pack(plan, *stream_);
    // What else is copied begins behind the packing, whose blocks it would delay.
    if (state_->counted_by_packing) stream_->record(*state_->open);
    if (state_->fusion != nullptr && state_->fusion->waits()) stream_->wait(state_->fusion->sent());
    communicator_->exchange(transfers(plan, sends_, true), transfers(plan, receives_, false), *stream_);
    stream_->record(*sent_);
  }
  [[nodiscard]] const device::Event* sent() const { return sent_.get(); }
  /// Signalled when messages were found to be there, for who watches them.
  [[nodiscard]] device::Flag* done() const { return state_->mailbox.flag(done_at_); }
  void visit_stream(const VisitStream& visit) { visit(stream_); }

  DeviceMessages messages;

 private:
  struct Peer {
    const Channel* channel;
    int number;  ///< of its device in the communicator
  };
  [[nodiscard]] std::vector<device::Communicator::Transfer> transfers(const ExchangePlan& plan,
                                                                      const std::vector<Peer>& peers, bool sent) const {
    std::vector<device::Communicator::Transfer> all;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const std::span<std::byte> bytes = sent ? messages.sent(plan, i) : messages.received(plan, i);
      all.push_back({bytes.data(), bytes.size(), peers[i].number});
    }
    return all;
  }

  Context* context_;
  SubdomainState* state_;
  device::Communicator* communicator_;
  std::vector<Peer> sends_, receives_;
  std::size_t done_at_ = 0;  ///< in the mailbox
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> sent_;
};

namespace {

/// An end of one message; the first one at a subdomain does what is done once.
class NcclEnd : public ScheduledEndpoint {
 public:
  void reserve() final {
    if (is_first_) shared_->reserve();
  }
  void publish(ByteWriter& /*writer*/) final {
    if (is_first_) shared_->allocate();
  }
  void prepare(const ExchangePlan& plan) final {
    if (is_first_) shared_->prepare(plan);
  }
  void each_stream(const VisitStream& visit) final {
    if (is_first_) shared_->visit_stream(visit);
  }
  void send(const ExchangePlan& plan) final {
    if (is_first_) shared_->send(plan);
  }
  [[nodiscard]] bool may_count() const final { return true; }
  [[nodiscard]] const device::Event* sent() const final { return is_first_ ? shared_->sent() : nullptr; }
  void collect_headers(const ExchangePlan& plan, device::HeaderCheck& check) final {
    if (is_first_) check.done = shared_->done();
    add_header(plan, check);
  }

 protected:
  NcclEnd(Context& context, subdomain_id here)
      : shared_(shared_at(here, context.nccl_messages, context)), is_first_(shared_.use_count() == 1) {}
  virtual void add_header(const ExchangePlan& /*plan*/, device::HeaderCheck& /*check*/) {}

  std::shared_ptr<NcclMessages> shared_;

 private:
  bool is_first_;
};

class NcclSender final : public NcclEnd {
 public:
  NcclSender(const Channel& channel, Context& context) : NcclEnd(context, channel.message.from) {
    (void)shared_->messages.add_sent(channel);
    shared_->add_send(channel);
  }
};

class NcclReceiver final : public NcclEnd {
 public:
  NcclReceiver(const Channel& channel, Context& context) : NcclEnd(context, channel.message.to) {
    number_ = shared_->messages.add_received(channel);
    shared_->add_receive(channel);
  }
  void add_header(const ExchangePlan& plan, device::HeaderCheck& check) override {
    check.headers.push_back(shared_->messages.header(plan, number_));
  }
  void collect_unpack(const ExchangePlan& plan, std::vector<device::StridedCopy>& copies) override {
    append(copies, shared_->messages.copies_to_unpack(plan, number_));
  }

 private:
  std::size_t number_ = 0;
};

}  // namespace

Ends make_nccl(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<NcclSender>(channel, context);
  if (receives) ends.receiver = std::make_unique<NcclReceiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
