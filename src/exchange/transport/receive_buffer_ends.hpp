// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/transport/factory.hpp"
#include "exchange/transport/handshake.hpp"

namespace halocline::exchange {

// The two ends of a message whose receiver's memory the sender's device can access: pack, copy into a receive buffer in
// the receiver's mailbox, unpack there; small messages are packed directly into it. Flags coordinate it
// (handshake.hpp): when the receiver sets "ready", the receive buffer is free, because the last unpack precedes that in
// its stream.

class BufferedSender final : public Endpoint {
 public:
  BufferedSender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(channel.message.from)),
        flags_(channel, context),
        stream_(context.backend->create_stream(state_->device(), device::Priority::high, channel.label())),
        done_(context.backend->create_event(state_->device())) {
    const std::int64_t capacity = payload_capacity(channel.message);
    if (capacity > context.tuning.put_at_most_bytes) {
      packed_ = context.backend->allocate(state_->device(), static_cast<std::size_t>(capacity));
    }
  }

  [[nodiscard]] Drive drive() const override { return Drive::scheduled; }

  void reserve() override { flags_.reserve(); }

  void publish(ByteWriter& writer) override { flags_.publish(writer); }

  void connect(ByteReader& reader) override {
    flags_.connect(reader);
    receive_buffer_ = address_of(*context_->mappings, state_->device(), reader.get<RemotePlace>());
  }

  void prepare(const ExchangePlan& plan) override {
    parts_.make(plan, [&] {
      const Payload payload = payload_of(channel_->message, plan.selection);
      const bool put = payload.bytes <= context_->tuning.put_at_most_bytes;
      std::byte* target = put ? receive_buffer_ : packed_->data();
      return Part{put, context_->backend->prepare(state_->device(), pack_copies(payload, state_->memory, target)),
                  static_cast<std::size_t>(payload.bytes)};
    });
  }

  void send(const ExchangePlan& plan) override {
    const Part& part = parts_.of(plan);
    stream_->wait(*state_->open);
    if (!part.put) stream_->copy(*part.pack);
    const device::FlagWait ready = flags_.ready(plan);
    stream_->wait(state_->mailbox.epoch(), {&ready, 1});
    if (part.put) {
      stream_->copy(*part.pack);
    } else {
      stream_->copy(receive_buffer_, packed_->data(), part.bytes);
    }
    const device::FlagSignal arrived = flags_.arrived(plan);
    stream_->signal(state_->mailbox.epoch(), {&arrived, 1});
    stream_->record(*done_);
  }

  [[nodiscard]] const device::Event* sent() const override { return done_.get(); }
  void each_stream(const VisitStream& visit) override { visit(stream_); }

 private:
  struct Part {
    bool put;  ///< packed directly into the receive buffer
    std::unique_ptr<device::CopyList> pack;
    std::size_t bytes = 0;
  };
  const Channel* channel_;
  Context* context_;
  SubdomainState* state_;
  std::unique_ptr<device::Buffer> packed_;  ///< null where every payload is put
  SenderFlags flags_;
  std::byte* receive_buffer_ = nullptr;
  Prepared<Part> parts_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> done_;
};

class BufferedReceiver final : public Endpoint {
 public:
  BufferedReceiver(const Channel& channel, Context& context)
      : channel_(&channel), state_(&context.state(channel.message.to)), flags_(channel, context) {}

  [[nodiscard]] Drive drive() const override { return Drive::scheduled; }

  void reserve() override {
    flags_.reserve();
    receive_buffer_ = state_->mailbox.reserve_receive_buffer(payload_capacity(channel_->message));
  }

  void publish(ByteWriter& writer) override {
    flags_.publish(writer);
    writer.put(RemotePlace{state_->mailbox.handle(), receive_buffer_});
  }

  void connect(ByteReader& reader) override { flags_.connect(reader); }

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

[[nodiscard]] inline Ends make_receive_buffer_ends(const Channel& channel, Context& context, bool sends,
                                                   bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<BufferedSender>(channel, context);
  if (receives) ends.receiver = std::make_unique<BufferedReceiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
