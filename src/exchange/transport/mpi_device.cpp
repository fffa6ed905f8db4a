// SPDX-License-Identifier: BSD-3-Clause
// mpi_device: any pair of ranks whose MPI takes device pointers. The device packs all messages of a subdomain as one operation, the
// host sends and receives them from and in device memory, and the device unpacks them and compares their headers. Each is one MPI
// message: there are no copies that could overlap with it. See docs/decisions/0088.
#include <fmt/core.h>

#include <cstring>
#include <exception>

#include "comm/requests.hpp"
#include "core/leak.hpp"
#include "exchange/detail/device_messages.hpp"
#include "exchange/transport/factory.hpp"
#include "exchange/transport/mpi_parts.hpp"

namespace halocline::exchange {

/// What the ends at one subdomain share.
class MpiDeviceMessages {
 public:
  MpiDeviceMessages(Context& context, SubdomainState& state)
      : messages(context, state, routing::Transport::mpi_device),
        context_(&context),
        state_(&state),
        words_(context.backend->allocate_pinned(sizeof(Words))),
        stream_(context.backend->create_stream(state.device(), device::Priority::high,
                                               fmt::format("subdomain {}: mpi_device", state.subdomain.id.value()))),
        packed_(context.backend->create_event(state.device())),
        unpacked_(context.backend->create_event(state.device())) {
    *words() = {};
  }

  void allocate() {
    messages.allocate([&](std::size_t bytes) { return context_->backend->allocate_for_messages(state_->device(), bytes); },
                      {&words()->packed, &words()->expected});
  }
  void count_sender() { ++senders_; }
  void count_receiver() { ++receivers_; }

  /// Called for each end; the first call in an exchange packs. The last exchange's messages have left: it was finished.
  void start(const ExchangePlan& plan, std::uint64_t epoch, device::Stream* in_order) {
    if (words()->packed == epoch) return;
    words()->packed = epoch;
    arrived_ = started_ = 0;
    in_order_ = in_order;
    if (in_order_ == nullptr) stream_->wait(*state_->begun);
    messages.pack(plan, carrier());
    carrier().record(*packed_);
  }
  [[nodiscard]] bool packed() const { return packed_->query(); }

  void sent_one() { ++started_; }

  /// Whether the receive buffer is free, and all sends were started: with some MPIs, a receive whose message waits already makes this
  /// thread start the copy, which would hold up the other side. Then the device may be given the number of the next exchange.
  [[nodiscard]] bool emptied(std::uint64_t epoch) {
    if (words()->expected == epoch) return true;
    if (started_ < senders_ || !unpacked_->query()) return false;
    words()->expected = epoch;
    return true;
  }

  /// A message has arrived. With work of the user's beside the exchange, which may wait for this message alone, it is unpacked at once;
  /// otherwise the last one to arrive unpacks all.
  void take(const ExchangePlan& plan, std::size_t number) {
    ++arrived_;
    if (in_order_ == nullptr) {
      messages.unpack(plan, number, *stream_);
    } else if (arrived_ == receivers_) {
      messages.unpack(plan, *in_order_);
    } else {
      return;
    }
    carrier().record(*unpacked_);
  }

  void join_sent(device::Stream& user) const { join(user, *packed_); }
  void join_received(device::Stream& user) const { join(user, *unpacked_); }

  /// Throws ProtocolError if the message that could not be received is of another exchange, otherwise the error of its receive.
  void explain(const ExchangePlan& plan, std::size_t number, std::uint64_t epoch, const std::exception_ptr& failed,
               const Channel& channel) {
    const auto here = context_->backend->allocate_pinned(sizeof(device::Flag));
    stream_->copy(here->data(), messages.received(plan, number).data(), sizeof(device::Flag));
    stream_->synchronize();
    device::Flag got{};
    std::memcpy(&got, here->data(), sizeof got);
    compare({got.token, got.epoch}, {plan.token, epoch}, failed, channel);
    std::rethrow_exception(failed);
  }

  /// MPI looks up the memory in the current context; if that is another device's, it takes a slower path, or none.
  [[nodiscard]] std::unique_ptr<device::Current> for_mpi() const {
    return context_->backend->make_current(state_->device());
  }
  void visit_stream(const VisitStream& visit) { visit(stream_); }

  DeviceMessages messages;

 private:
  /// Written by the host, read by the device.
  struct Words {
    std::uint64_t packed, expected;  ///< see DeviceMessages::Epochs
  };
  [[nodiscard]] Words* words() const { return reinterpret_cast<Words*>(words_->data()); }
  [[nodiscard]] device::Stream& carrier() const { return in_order_ != nullptr ? *in_order_ : *stream_; }
  void join(device::Stream& user, const device::Event& event) const {
    if (&user != in_order_) user.wait(event);
  }

  Context* context_;
  SubdomainState* state_;
  std::unique_ptr<device::Buffer> words_;
  std::size_t senders_ = 0;
  std::size_t receivers_ = 0;
  std::size_t started_ = 0;             ///< sends in this exchange
  std::size_t arrived_ = 0;             ///< in this exchange
  device::Stream* in_order_ = nullptr;  ///< see HostEndpoint::start()
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> packed_;
  std::unique_ptr<device::Event> unpacked_;
};

namespace {

/// An end of one message; the first one at a subdomain does what is done once.
class MpiDeviceEnd : public HostEndpoint {
 public:
  void publish(ByteWriter& /*writer*/) final {
    if (is_first_) shared_->allocate();
  }
  void each_stream(const VisitStream& visit) final {
    if (is_first_) shared_->visit_stream(visit);
  }

 protected:
  MpiDeviceEnd(const Channel& channel, Context& context, subdomain_id here)
      : channel_(&channel),
        context_(&context),
        shared_(shared_at(here, context.mpi_device_messages, context)),
        is_first_(shared_.use_count() == 1) {}

  /// make_request() returns the message's.
  template <typename MakeRequest>
  void prepare_request(const ExchangePlan& plan, MakeRequest&& make_request) {
    if (is_first_) shared_->messages.prepare(plan, false);
    const auto current = shared_->for_mpi();
    requests_.make(plan, make_request);
  }
  void start_request(const ExchangePlan& plan) {
    if (context_->tracer != nullptr) begun_ = device::Tracer::now();
    requests_.of(plan)->start();
  }
  void note(device::Work work, const char* verb, std::size_t bytes) {
    if (context_->tracer == nullptr) return;
    if (traced_ == 0) traced_ = describe(*context_, work, -1, *channel_, verb, static_cast<std::int64_t>(bytes));
    context_->tracer->ran(traced_, begun_, device::Tracer::now());
  }

  const Channel* channel_;
  Context* context_;
  std::shared_ptr<MpiDeviceMessages> shared_;  // before the requests, whose memory it has
  std::size_t number_ = 0;                     ///< of the message among the subdomain's
  Prepared<std::unique_ptr<comm::PersistentRequest>> requests_;
  const ExchangePlan* plan_ = nullptr;
  std::uint64_t epoch_ = 0;

 private:
  bool is_first_;
  Duration begun_{};  ///< for the tracer
  std::size_t traced_ = 0;
};

class MpiDeviceSender final : public MpiDeviceEnd {
 public:
  MpiDeviceSender(const Channel& channel, Context& context) : MpiDeviceEnd(channel, context, channel.message.from) {
    number_ = shared_->messages.add_sent(channel);
    shared_->count_sender();
  }
  MpiDeviceSender(const MpiDeviceSender&) = delete;
  MpiDeviceSender& operator=(const MpiDeviceSender&) = delete;
  /// After a failure: a message that is under way is still read.
  ~MpiDeviceSender() override {
    if (under_way_) leak(shared_);
  }

  void prepare(const ExchangePlan& plan) override {
    prepare_request(plan, [&] {
      return context_->comm->persistent_send(shared_->messages.sent(plan, number_), channel_->receiver, channel_->tag);
    });
  }
  void start(const ExchangePlan& plan, device::Stream* in_order) override {
    plan_ = &plan;
    sent_ = false;
    shared_->start(plan, ++epoch_, in_order);
  }
  bool progress() override {
    const auto current = shared_->for_mpi();
    if (!under_way_ && !sent_ && shared_->packed()) {
      start_request(*plan_);
      shared_->sent_one();
      under_way_ = true;
    }
    if (!under_way_ || !requests_.of(*plan_)->test()) return sent_;
    under_way_ = false;
    sent_ = true;
    note(device::Work::send, "send", shared_->messages.sent(*plan_, number_).size());
    return true;
  }
  void join(device::Stream& user) override { shared_->join_sent(user); }
  [[nodiscard]] std::string state() const override { return under_way_ ? "MPI send under way" : "packing"; }

 private:
  bool under_way_ = false;
  bool sent_ = true;
};

class MpiDeviceReceiver final : public MpiDeviceEnd {
 public:
  MpiDeviceReceiver(const Channel& channel, Context& context) : MpiDeviceEnd(channel, context, channel.message.to) {
    number_ = shared_->messages.add_received(channel);
    shared_->count_receiver();
  }
  MpiDeviceReceiver(const MpiDeviceReceiver&) = delete;
  MpiDeviceReceiver& operator=(const MpiDeviceReceiver&) = delete;
  /// After a failure: a message that is under way may still arrive.
  ~MpiDeviceReceiver() override {
    if (phase_ == Phase::receiving) leak(shared_);
  }

  void prepare(const ExchangePlan& plan) override {
    prepare_request(plan, [&] {
      return context_->comm->persistent_receive(shared_->messages.received(plan, number_), channel_->sender,
                                                channel_->tag);
    });
  }
  void start(const ExchangePlan& plan, device::Stream* in_order) override {
    plan_ = &plan;
    shared_->start(plan, ++epoch_, in_order);
    phase_ = Phase::emptying;
  }
  bool progress() override {
    const auto current = shared_->for_mpi();
    if (phase_ == Phase::emptying && shared_->emptied(epoch_)) {
      start_request(*plan_);
      phase_ = Phase::receiving;
    }
    if (phase_ == Phase::receiving && is_here()) {
      note(device::Work::receive, "receive", shared_->messages.received(*plan_, number_).size());
      phase_ = Phase::idle;
      shared_->take(*plan_, number_);
    }
    return phase_ == Phase::idle;
  }
  void join(device::Stream& user) override { shared_->join_received(user); }
  [[nodiscard]] std::string state() const override {
    return phase_ == Phase::emptying ? "last message not unpacked yet" : "MPI receive under way";
  }

 private:
  enum class Phase { idle, emptying, receiving };

  /// A message of another length is a symptom; its header, if it arrived, contains the cause.
  [[nodiscard]] bool is_here() {
    try {
      return requests_.of(*plan_)->test();
    } catch (const CommunicationError&) {
      shared_->explain(*plan_, number_, epoch_, std::current_exception(), *channel_);
      throw;
    }
  }

  Phase phase_ = Phase::idle;
};

}  // namespace

Ends make_mpi_device(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<MpiDeviceSender>(channel, context);
  if (receives) ends.receiver = std::make_unique<MpiDeviceReceiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
