#pragma once

#include <fmt/core.h>

#include <cstring>

#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// The two ends of a message by MPI: the same state machines whether MPI is given host or device memory. What differs
/// is where header and payload lie, and how they get there. A transport says so by its Buffers, which has
///
///   Buffers(channel, context, here)   allocates, for the subdomain on this side
///   message_at()                      what MPI is given: a Header, then the payload
///   payload_at()                      where the device packs and unpacks
///   header_at()                       where the host reads a header that came
///   put_header(header, stream)        the header's way into the message
///   put_payload(bytes, stream)        the packed payload's way into the message, if it is not there already
///   fetch_header(stream)              a header's way from the message to header_at()
///   fetch_payload(bytes, stream)      a payload's way from the message to payload_at()
///
/// A message's buffer is free for the next exchange when finish() of the last one is over.
template <typename Buffers>
class MpiSender final : public Endpoint {
 public:
  MpiSender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.from)),
        buffers_(channel, context, channel.message.from),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high)),
        sent_(context.backend->create_event(site_->device())),
        ready_(context.backend->create_event(site_->device())) {}

  void prepare(const Program& program) override {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      const auto bytes = static_cast<std::size_t>(payload.bytes);
      return Part{
          context_->backend->prepare(site_->device(), pack_copies(payload, site_->memory, buffers_.payload_at())),
          context_->comm->persistent_send({buffers_.message_at(), sizeof(Header) + bytes}, channel_->receiver,
                                          channel_->tag),
          bytes};
    });
  }

  void start(const Program& program) override {
    part_ = &parts_.of(program);
    stream_->wait(*site_->begun);
    buffers_.put_header({program.token, ++epoch_}, *stream_);
    stream_->copy(*part_->pack);
    stream_->record(*sent_);
    buffers_.put_payload(part_->bytes, *stream_);
    stream_->record(*ready_);
    state_ = State::packing;
  }

  bool progress() override {
    if (state_ == State::packing && ready_->query()) {
      part_->request->start();
      state_ = State::sending;
    }
    if (state_ == State::sending && part_->request->test()) state_ = State::idle;
    return state_ == State::idle;
  }

  void join(device::Stream& user) override { user.wait(*sent_); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }
  [[nodiscard]] std::string state() const override {
    return state_ == State::packing ? "packing" : "MPI send under way";
  }
  [[nodiscard]] bool needs_host() const override { return true; }

 private:
  enum class State { idle, packing, sending };
  struct Part {
    std::unique_ptr<device::CopyList> pack;
    std::unique_ptr<comm::PersistentRequest> request;
    std::size_t bytes = 0;
  };
  const Channel* channel_;
  Context* context_;
  Site* site_;
  Buffers buffers_;  // outlives the stream below, whose work uses it
  Prepared<Part> parts_;
  Part* part_ = nullptr;
  State state_ = State::idle;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> sent_;
  std::unique_ptr<device::Event> ready_;
};

template <typename Buffers>
class MpiReceiver final : public Endpoint {
 public:
  MpiReceiver(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        site_(&context.site(channel.message.to)),
        buffers_(channel, context, channel.message.to),
        stream_(context.backend->create_stream(site_->device(), device::Priority::high)),
        header_here_(context.backend->create_event(site_->device())),
        unpacked_(context.backend->create_event(site_->device())) {}

  void prepare(const Program& program) override {
    parts_.make(program, [&] {
      const Payload payload = payload_of(channel_->message, program.selection);
      const auto bytes = static_cast<std::size_t>(payload.bytes);
      return Part{
          context_->backend->prepare(site_->device(), unpack_copies(payload, site_->memory, buffers_.payload_at())),
          context_->comm->persistent_receive({buffers_.message_at(), sizeof(Header) + bytes}, channel_->sender,
                                             channel_->tag),
          bytes};
    });
  }

  void start(const Program& program) override {
    part_ = &parts_.of(program);
    expected_ = {program.token, ++epoch_};
    state_ = State::emptying;
  }

  bool progress() override {
    // The last message must have left its buffer before the next may come in.
    if (state_ == State::emptying && unpacked_->query()) {
      part_->request->start();
      state_ = State::receiving;
    }
    if (state_ == State::receiving && part_->request->test()) {
      buffers_.fetch_header(*stream_);
      stream_->record(*header_here_);
      state_ = State::checking;
    }
    if (state_ == State::checking && header_here_->query()) {
      check_header();
      stream_->wait(*site_->begun);
      buffers_.fetch_payload(part_->bytes, *stream_);
      stream_->copy(*part_->unpack);
      stream_->record(*unpacked_);
      state_ = State::idle;
    }
    return state_ == State::idle;
  }

  void join(device::Stream& user) override { user.wait(*unpacked_); }
  void check() override { check_stream(*stream_); }
  void drain() override { stream_->synchronize(); }
  [[nodiscard]] std::string state() const override {
    switch (state_) {
      case State::emptying: return "last message not unpacked yet";
      case State::checking: return "reading the message's header";
      default: return "MPI receive under way";
    }
  }
  [[nodiscard]] bool needs_host() const override { return true; }

 private:
  enum class State { idle, emptying, receiving, checking };
  struct Part {
    std::unique_ptr<device::CopyList> unpack;
    std::unique_ptr<comm::PersistentRequest> request;
    std::size_t bytes = 0;
  };

  /// Throws ProtocolError where the message is not the one that this end expects.
  void check_header() const {
    Header got;
    std::memcpy(&got, buffers_.header_at(), sizeof got);
    if (got.token == expected_.token && got.epoch == expected_.epoch) return;
    throw ProtocolError(fmt::format(
        "{}: the two sides disagree on which fields and buffers are exchanged (exchange {} with token {:x} met "
        "exchange {} with token {:x}); all ranks must exchange and swap alike",
        channel_->label(), expected_.epoch, expected_.token, got.epoch, got.token));
  }

  const Channel* channel_;
  Context* context_;
  Site* site_;
  Buffers buffers_;  // outlives the stream below, whose work uses it
  Prepared<Part> parts_;
  Part* part_ = nullptr;
  State state_ = State::idle;
  Header expected_;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> header_here_;
  std::unique_ptr<device::Event> unpacked_;
};

template <typename Buffers>
[[nodiscard]] Ends make_mpi_ends(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<MpiSender<Buffers>>(channel, context);
  if (receives) ends.receiver = std::make_unique<MpiReceiver<Buffers>>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
