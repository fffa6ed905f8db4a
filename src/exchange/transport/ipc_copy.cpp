// SPDX-License-Identifier: BSD-3-Clause
// ipc_copy: another process of the node. Pack, copy by a copy engine into a receive buffer in the receiver's mailbox, unpack there.
// Handles are exchanged once at set-up; afterwards flags in mapped memory coordinate it (handshake.hpp), without MPI. When the
// receiver posts "ready", the receive buffer is free, because the last unpack precedes that in its stream.
#include "exchange/transport/factory.hpp"
#include "exchange/transport/handshake.hpp"

namespace halocline::exchange {
namespace {

class IpcSender final : public ScheduledEndpoint {
 public:
  IpcSender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(channel.message.from)),
        packed_(
            context.backend->allocate(state_->device(), static_cast<std::size_t>(payload_capacity(channel.message)))),
        flags_(channel, context),
        stream_(context.backend->create_stream(state_->device(), device::Priority::high, channel.label())),
        done_(context.backend->create_event(state_->device())) {}

  void reserve() override { flags_.reserve(); }
  void publish(ByteWriter& writer) override { flags_.publish(writer); }

  void connect(ByteReader& reader) override {
    flags_.connect(reader);
    receive_buffer_ = address_of(*context_->mappings, state_->device(), reader.get<RemotePlace>());
  }

  void watch(std::vector<const device::Flag*>& flags) const override { flags_.watch(flags); }

  void prepare(const ExchangePlan& plan) override {
    parts_.make(plan, [&] {
      const Payload payload = payload_of(channel_->message, plan.selection);
      const auto described = [&](device::Work work, std::int64_t bytes) {
        return describe(*context_, work, state_->device(), *channel_, "send", bytes);
      };
      return Part{context_->backend->prepare(state_->device(), pack_copies(payload, state_->memory, packed_->data())),
                  static_cast<std::size_t>(payload.bytes), described(device::Work::pack, payload.bytes),
                  described(device::Work::wait_ready, 0), described(device::Work::copy, payload.bytes)};
    });
  }

  void send(const ExchangePlan& plan) override {
    const Part& part = parts_.of(plan);
    stream_->wait(*state_->open);
    device::Tracer* tracer = context_->tracer;
    traced(tracer, part.packing, *stream_, [&] { stream_->copy(*part.pack); });
    const device::FlagWait ready = flags_.ready(plan);
    traced(tracer, part.waiting, *stream_, [&] { stream_->wait(state_->mailbox.epoch(), {&ready, 1}); });
    traced(tracer, part.copying, *stream_, [&] { stream_->copy(receive_buffer_, packed_->data(), part.bytes); });
    const device::FlagSignal arrived = flags_.arrived(plan);
    stream_->signal(state_->mailbox.epoch(), {&arrived, 1});
    stream_->record(*done_);
  }

  [[nodiscard]] const device::Event* sent() const override { return done_.get(); }
  void each_stream(const VisitStream& visit) override { visit(stream_); }

 private:
  struct Part {
    std::unique_ptr<device::CopyList> pack;
    std::size_t bytes = 0;
    std::size_t packing, waiting, copying;  ///< for the tracer
  };
  const Channel* channel_;
  Context* context_;
  SubdomainState* state_;
  std::unique_ptr<device::Buffer> packed_;
  SenderFlags flags_;
  std::byte* receive_buffer_ = nullptr;
  Prepared<Part> parts_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> done_;
};

class IpcReceiver final : public ScheduledEndpoint {
 public:
  IpcReceiver(const Channel& channel, Context& context)
      : channel_(&channel), state_(&context.state(channel.message.to)), flags_(channel, context) {}

  void reserve() override {
    flags_.reserve();
    receive_buffer_ = state_->mailbox.reserve_receive_buffer(payload_capacity(channel_->message));
  }

  void publish(ByteWriter& writer) override {
    flags_.publish(writer);
    writer.put(RemotePlace{state_->mailbox.handle(), receive_buffer_});
  }

  void connect(ByteReader& reader) override { flags_.connect(reader); }
  void watch(std::vector<const device::Flag*>& flags) const override { flags_.watch(flags); }

  void collect_ready(const ExchangePlan& plan, std::vector<device::FlagSignal>& signals) override {
    signals.push_back(flags_.ready(plan));
  }
  void collect_arrived(const ExchangePlan& plan, std::vector<device::FlagWait>& waits) override {
    waits.push_back(flags_.arrived(plan));
  }
  void collect_unpack(const ExchangePlan& plan, std::vector<device::StridedCopy>& copies) override {
    const Payload payload = payload_of(channel_->message, plan.selection);
    append(copies, unpack_copies(payload, state_->received, state_->mailbox.at(receive_buffer_)));
  }

 private:
  const Channel* channel_;
  SubdomainState* state_;
  ReceiverFlags flags_;
  std::size_t receive_buffer_ = 0;
};

}  // namespace

Ends make_ipc_copy(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<IpcSender>(channel, context);
  if (receives) ends.receiver = std::make_unique<IpcReceiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
