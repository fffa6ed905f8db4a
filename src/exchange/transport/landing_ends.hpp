// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/transport/factory.hpp"
#include "exchange/transport/handshake.hpp"

namespace halocline::exchange {

// The two ends of a message whose receiver's memory the sender's device can reach: pack, copy into a landing buffer in the
// receiver's mailbox, unpack there; small messages are packed straight into it. Flags coordinate it (handshake.hpp): when the
// receiver says "ready", the landing buffer is free, because the last unpack precedes that in its stream.

class LandingSender final : public Endpoint {
 public:
  LandingSender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.from)),
        flags_(channel, context),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high, channel.label())),
        done_(context.backend->create_event(site_->device())) {
    const std::int64_t capacity = payload_capacity(channel.message);
    if (capacity > context.tuning.put_at_most_bytes) {
      packed_ = context.backend->allocate(site_->device(), static_cast<std::size_t>(capacity));
    }
  }

  [[nodiscard]] Drive drive() const override { return Drive::scheduled; }

  void reserve() override { flags_.reserve(); }

  void publish(ByteWriter& writer) override { flags_.publish(writer); }

  void connect(ByteReader& reader) override {
    flags_.connect(reader);
    landing_ = address_of(*context_->mappings, site_->device(), reader.get<RemotePlace>());
  }

  void prepare(const Program& program) override {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      const bool put = payload.bytes <= context_->tuning.put_at_most_bytes;
      std::byte* target = put ? landing_ : packed_->data();
      return Part{put, context_->backend->prepare(site_->device(), pack_copies(payload, site_->memory, target)),
                  static_cast<std::size_t>(payload.bytes)};
    });
  }

  void send(const Program& program) override {
    const Part& part = parts_.of(program);
    stream_->wait(*site_->open);
    if (!part.put) stream_->copy(*part.pack);
    const device::FlagWait ready = flags_.ready(program);
    stream_->wait(site_->mailbox.epoch(), {&ready, 1});
    if (part.put) {
      stream_->copy(*part.pack);
    } else {
      stream_->copy(landing_, packed_->data(), part.bytes);
    }
    const device::FlagSignal arrived = flags_.arrived(program);
    stream_->signal(site_->mailbox.epoch(), {&arrived, 1});
    stream_->record(*done_);
  }

  [[nodiscard]] const device::Event* sent() const override { return done_.get(); }
  void each_stream(const VisitStream& visit) override { visit(stream_); }

 private:
  struct Part {
    bool put;  ///< packed straight into the landing buffer
    std::unique_ptr<device::CopyList> pack;
    std::size_t bytes = 0;
  };
  const Channel* channel_;
  Context* context_;
  Site* site_;
  std::unique_ptr<device::Buffer> packed_;  ///< null where every payload is put
  SenderFlags flags_;
  std::byte* landing_ = nullptr;
  Prepared<Part> parts_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> done_;
};

class LandingReceiver final : public Endpoint {
 public:
  LandingReceiver(const Channel& channel, Context& context)
      : channel_(&channel), site_(&context.site(channel.message.to)), flags_(channel, context) {}

  [[nodiscard]] Drive drive() const override { return Drive::scheduled; }

  void reserve() override {
    flags_.reserve();
    landing_ = site_->mailbox.reserve_landing(payload_capacity(channel_->message));
  }

  void publish(ByteWriter& writer) override {
    flags_.publish(writer);
    writer.put(RemotePlace{site_->mailbox.handle(), landing_});
  }

  void connect(ByteReader& reader) override { flags_.connect(reader); }

  void collect_ready(const Program& program, std::vector<device::FlagSignal>& signals) override {
    signals.push_back(flags_.ready(program));
  }
  void collect_arrived(const Program& program, std::vector<device::FlagWait>& waits) override {
    waits.push_back(flags_.arrived(program));
  }
  void collect_unpack(const Program& program, std::vector<device::StridedCopy>& copies) override {
    const Payload payload = payload_of(channel_->message, program.selection);
    append(copies, unpack_copies(payload, site_->received, site_->mailbox.at(landing_)));
  }

 private:
  const Channel* channel_;
  Site* site_;
  ReceiverFlags flags_;
  std::size_t landing_ = 0;
};

[[nodiscard]] inline Ends make_landing_ends(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<LandingSender>(channel, context);
  if (receives) ends.receiver = std::make_unique<LandingReceiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
