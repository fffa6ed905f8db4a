// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "comm/requests.hpp"
#include "core/leak.hpp"
#include "device/disagreement.hpp"
#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// A part of a message that is one MPI message: bytes [begin, end) of the payload, after the header if begin is 0.
struct Chunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t bytes() const { return end - begin; }
};

/// A payload in chunks of chunk_bytes, of which the last may be shorter; one empty chunk if there is no payload.
[[nodiscard]] inline std::vector<Chunk> chunks_of(std::int64_t payload_bytes, std::int64_t chunk_bytes) {
  const auto end = static_cast<std::size_t>(payload_bytes);
  const auto step = static_cast<std::size_t>(std::min(chunk_bytes, std::max<std::int64_t>(payload_bytes, 1)));
  std::vector<Chunk> chunks{{0, std::min(step, end)}};
  while (chunks.back().end < end) chunks.push_back({chunks.back().end, std::min(chunks.back().end + step, end)});
  return chunks;
}

/// The position of a chunk in a message that starts with its header.
[[nodiscard]] inline std::span<std::byte> place_of(const Chunk& chunk, std::byte* message) {
  const std::size_t header = chunk.begin == 0 ? sizeof(Header) : 0;
  return {message + sizeof(Header) + chunk.begin - header, header + chunk.bytes()};
}

/// Throws ProtocolError if a message is not the one that its receiver expects. failed: the error of its receive, or null.
inline void compare(const Header& got, const Header& expected, const std::exception_ptr& failed,
                    const Channel& channel) {
  // After a failure, a header of another exchange did not arrive with this message.
  if (failed && (got.epoch != expected.epoch || got.token == expected.token)) std::rethrow_exception(failed);
  if (got.token == expected.token && got.epoch == expected.epoch) return;
  throw device::Disagreement(
      fmt::format(
          "{}: the two sides disagree on which fields, buffers, directions and depths are exchanged (exchange {} "
          "with token {:#018x} met exchange {} with token {:#018x})",
          channel.label(), expected.epoch, expected.token, got.epoch, got.token),
      {expected.token, got.token});
}

/// Whether a payload is packed on the device and copied to pinned host memory, or packed there by the kernel. Without the copies there is
/// one operation less in each direction, but cells then cross PCIe one by one, as the kernel's threads load and store them, and not by
/// the copy engine. To be measured: Tuning::zero_copy_at_most_bytes.
[[nodiscard]] inline bool staged_on_device(const Tuning& tuning, std::int64_t bytes) {
  return bytes > 0 && bytes > tuning.zero_copy_at_most_bytes;
}

/// The operations that an end prepares for a plan.
struct MpiPart {
  std::unique_ptr<device::CopyList> copies;  ///< packs or unpacks
  std::size_t bytes = 0;                     ///< of the payload
  std::vector<Chunk> chunks;
  std::vector<std::unique_ptr<comm::PersistentRequest>> requests;  ///< by chunk
  std::size_t packing = 0, copying = 0, message = 0;               ///< for the tracer
};

/// An end of a message. make_request(chunk) returns a chunk's request.
template <typename MakeRequest>
[[nodiscard]] MpiPart part_of(const std::vector<device::StridedCopy>& copies, std::size_t bytes,
                              std::int64_t chunk_bytes, const Channel& channel, bool sends, Context& context,
                              MakeRequest&& make_request) {
  using device::Work;
  const int device = context.state(sends ? channel.message.from : channel.message.to).device();
  const auto size = static_cast<std::int64_t>(bytes);
  MpiPart part{context.backend->prepare(device, copies), bytes, chunks_of(size, chunk_bytes), {}};
  for (const Chunk& chunk : part.chunks) part.requests.push_back(make_request(chunk));
  const auto described = [&](Work work, int where, std::int64_t of) {
    return describe(context, work, where, channel, sends ? "send" : "receive", of);
  };
  part.packing = described(sends ? Work::pack : Work::unpack, device, size);
  part.copying = described(Work::copy, device, static_cast<std::int64_t>(part.chunks.front().bytes()));
  part.message = described(sends ? Work::send : Work::receive, -1, size);
  return part;
}

/// The two ends of a message by MPI: the same state machines whether MPI receives pointers to host or to device memory.
/// They differ in where header and payload are, and in how they get there. A transport defines this by its Buffers,
/// which has
///
///   Buffers(channel, context, here)    allocates, for the subdomain on this side
///   for_mpi()                          an object that has to exist while MPI is called
///   message_at()                       the address for MPI: a Header, then the payload
///   chunk_bytes()                      the payload's bytes in one message of MPI, at most; the same at both ends
///   payload_at(bytes)                  where the device packs and unpacks a payload of this many bytes
///   copied(bytes)                      whether that is elsewhere than in the message
///   put(chunk, stream)                 copies a chunk from there into the message
///   fetch(chunk, stream)               copies a chunk back
///   put_header(header, stream)         copies the header into the message
///   fetch_header(stream, here)         copies a header to header_at(), then records `here`, unless it is there already
///   header_at()                        where the host reads a received header
///
/// Chunks are all posted at once and overlap: while one is copied, the one before it is under way, and its predecessor
/// is copied at the other end. They have one tag, so MPI matches them in order. Each has its own place in the message,
/// which has space for every selection: a chunk of another selection than this end's therefore stays within the
/// message. The first chunk contains the header, which is compared before anything is unpacked or copied.
///
/// Work is enqueued operation by operation, not as a graph: the host has to query each chunk's event, and events within
/// a graph cannot be queried. Small messages are one operation anyway, and large ones are bound by the links.
template <typename Buffers>
class MpiSender final : public HostEndpoint {
 public:
  MpiSender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(channel.message.from)),
        buffers_(std::make_shared<Buffers>(channel, context, channel.message.from)),
        stream_(context.backend->create_stream(state_->device(), device::Priority::high, channel.label())),
        packed_(context.backend->create_event(state_->device())) {
    const std::int64_t capacity = payload_capacity(channel.message);
    if (!buffers_->copied(static_cast<std::size_t>(capacity))) return;
    for (std::size_t n = chunks_of(capacity, buffers_->chunk_bytes()).size(); n > 0; --n) {
      copied_.push_back(context.backend->create_event(state_->device()));
    }
  }

  MpiSender(const MpiSender&) = delete;
  MpiSender& operator=(const MpiSender&) = delete;
  /// After a failure: a message that is under way is still read.
  ~MpiSender() override {
    if (done_ < started_) leak(buffers_);
  }

  void prepare(const ExchangePlan& plan) override {
    parts_.make(plan, [&] {
      const Payload payload = payload_of(channel_->message, plan.selection);
      const auto bytes = static_cast<std::size_t>(payload.bytes);
      const auto copies = pack_copies(payload, state_->memory, buffers_->payload_at(bytes));
      [[maybe_unused]] const auto current = buffers_->for_mpi();
      return part_of(copies, bytes, buffers_->chunk_bytes(), *channel_, true, *context_, [&](const Chunk& chunk) {
        return context_->comm->persistent_send(place_of(chunk, buffers_->message_at()), channel_->receiver,
                                               channel_->tag);
      });
    });
  }

  /// The messages of the last exchange have left their buffer: it was finished.
  void start(const ExchangePlan& plan) override {
    part_ = &parts_.of(plan);
    started_ = done_ = 0;
    stream_->wait(*state_->begun);
    buffers_->put_header({plan.token, ++epoch_}, *stream_);
    traced(context_->tracer, part_->packing, *stream_, [&] { stream_->copy(*part_->copies); });
    stream_->record(*packed_);
    for (std::size_t k = 0; k < part_->chunks.size() && buffers_->copied(part_->bytes); ++k) {
      traced(context_->tracer, part_->copying, *stream_, [&] { buffers_->put(part_->chunks[k], *stream_); });
      stream_->record(*copied_[k]);
    }
  }

  bool progress() override {
    [[maybe_unused]] const auto current = buffers_->for_mpi();
    const std::size_t chunks = part_->chunks.size();
    while (started_ < chunks && ready(started_).query()) {
      if (started_ == 0 && context_->tracer != nullptr) begun_ = device::Tracer::now();
      part_->requests[started_++]->start();
    }
    while (done_ < started_ && part_->requests[done_]->test()) ++done_;
    if (done_ < chunks) return false;
    if (context_->tracer != nullptr) context_->tracer->ran(part_->message, begun_, device::Tracer::now());
    return true;
  }

  void join(device::Stream& user) override { user.wait(*packed_); }
  void each_stream(const VisitStream& visit) override { visit(stream_); }
  [[nodiscard]] std::string state() const override {
    if (started_ == 0) return "packing";
    const std::string chunk = fmt::format("chunk {} of {}", done_ + 1, part_->chunks.size());
    return done_ < started_ ? fmt::format("MPI send of {} under way", chunk)
                            : fmt::format("copying {} to the host", chunk);
  }

 private:
  /// Reached when a chunk is in the message.
  [[nodiscard]] const device::Event& ready(std::size_t chunk) const {
    return buffers_->copied(part_->bytes) ? *copied_[chunk] : *packed_;
  }

  const Channel* channel_;
  Context* context_;
  SubdomainState* state_;
  std::shared_ptr<Buffers> buffers_;  // outlives the stream below, whose work uses it
  Prepared<MpiPart> parts_;
  MpiPart* part_ = nullptr;
  std::size_t started_ = 0;  ///< chunks whose send was started
  std::size_t done_ = 0;     ///< chunks whose send is complete
  Duration begun_{};         ///< for the tracer
  std::uint64_t epoch_ = 0;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> packed_;
  std::vector<std::unique_ptr<device::Event>> copied_;  ///< by chunk, where they are copied
};

template <typename Buffers>
class MpiReceiver final : public HostEndpoint {
 public:
  MpiReceiver(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(channel.message.to)),
        buffers_(std::make_shared<Buffers>(channel, context, channel.message.to)),
        stream_(context.backend->create_stream(state_->device(), device::Priority::high, channel.label())),
        header_here_(context.backend->create_event(state_->device())),
        fetched_(context.backend->create_event(state_->device())),
        unpacked_(context.backend->create_event(state_->device())) {
    // Memory that a failed receive leaves unwritten must not look like a header of the first exchange.
    buffers_->put_header(Header{}, *stream_);
    stream_->synchronize();
  }

  MpiReceiver(const MpiReceiver&) = delete;
  MpiReceiver& operator=(const MpiReceiver&) = delete;
  /// After a failure: a message that is under way may still arrive.
  ~MpiReceiver() override {
    if (phase_ == Phase::receiving || phase_ == Phase::checking) leak(buffers_);
  }

  void prepare(const ExchangePlan& plan) override {
    parts_.make(plan, [&] {
      const Payload payload = payload_of(channel_->message, plan.selection);
      const auto bytes = static_cast<std::size_t>(payload.bytes);
      const auto copies = unpack_copies(payload, state_->received, buffers_->payload_at(bytes));
      [[maybe_unused]] const auto current = buffers_->for_mpi();
      return part_of(copies, bytes, buffers_->chunk_bytes(), *channel_, false, *context_, [&](const Chunk& chunk) {
        return context_->comm->persistent_receive(place_of(chunk, buffers_->message_at()), channel_->sender,
                                                  channel_->tag);
      });
    });
  }

  void start(const ExchangePlan& plan) override {
    part_ = &parts_.of(plan);
    expected_ = {plan.token, ++epoch_};
    arrived_ = 0;
    phase_ = Phase::emptying;
  }

  bool progress() override {
    [[maybe_unused]] const auto current = buffers_->for_mpi();
    // The last message must have been copied out of its buffer before the next may arrive.
    if (phase_ == Phase::emptying && (copied_last_ ? *fetched_ : *unpacked_).query()) {
      if (context_->tracer != nullptr) begun_ = device::Tracer::now();
      for (const auto& request : part_->requests) request->start();
      phase_ = Phase::receiving;
    }
    while (step()) {
    }
    return phase_ == Phase::idle;
  }

  void join(device::Stream& user) override { user.wait(*unpacked_); }
  void each_stream(const VisitStream& visit) override { visit(stream_); }
  [[nodiscard]] std::string state() const override {
    switch (phase_) {
      case Phase::emptying: return "last message not unpacked yet";
      case Phase::checking: return "reading the message's header";
      default: return fmt::format("MPI receive of chunk {} of {} under way", arrived_ + 1, part_->chunks.size());
    }
  }

 private:
  enum class Phase { idle, emptying, receiving, checking };

  /// Processes the next chunk as far as possible. Returns false if there is nothing to do, for now or at all.
  bool step() {
    switch (phase_) {
      case Phase::receiving:
        if (!next_is_here()) return false;
        if (arrived_ > 0) {
          take();
        } else {
          buffers_->fetch_header(*stream_, *header_here_);
          phase_ = Phase::checking;
        }
        return true;
      case Phase::checking:
        if (!header_here_->query()) return false;
        check_header();
        phase_ = Phase::receiving;
        take();
        return true;
      default: return false;
    }
  }

  /// A first chunk of another length is a symptom; its header, if it arrived, contains the cause.
  [[nodiscard]] bool next_is_here() {
    try {
      return part_->requests[arrived_]->test();
    } catch (const CommunicationError&) {
      if (arrived_ > 0) throw;
      failed_ = std::current_exception();
      return true;
    }
  }

  void check_header() const {
    Header got;
    std::memcpy(&got, buffers_->header_at(), sizeof got);
    compare(got, expected_, failed_, *channel_);
  }

  void take() {
    copied_last_ = buffers_->copied(part_->bytes);
    device::Tracer* tracer = context_->tracer;
    if (copied_last_) {
      traced(tracer, part_->copying, *stream_, [&] { buffers_->fetch(part_->chunks[arrived_], *stream_); });
    }
    if (++arrived_ < part_->chunks.size()) return;
    if (tracer != nullptr) tracer->ran(part_->message, begun_, device::Tracer::now());
    if (copied_last_) stream_->record(*fetched_);
    stream_->wait(*state_->begun);
    traced(tracer, part_->packing, *stream_, [&] { stream_->copy(*part_->copies); });
    stream_->record(*unpacked_);
    phase_ = Phase::idle;
  }

  const Channel* channel_;
  Context* context_;
  SubdomainState* state_;
  std::shared_ptr<Buffers> buffers_;  // outlives the stream below, whose work uses it
  Prepared<MpiPart> parts_;
  MpiPart* part_ = nullptr;
  Phase phase_ = Phase::idle;
  std::size_t arrived_ = 0;  ///< chunks that were processed
  Header expected_;
  std::uint64_t epoch_ = 0;
  Duration begun_{};           ///< for the tracer
  bool copied_last_ = false;   ///< the last message's buffer is free after fetched_, else after unpacked_
  std::exception_ptr failed_;  ///< the error of the first chunk's receive
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Event> header_here_;
  std::unique_ptr<device::Event> fetched_;  ///< after the last chunk's copy, if chunks are copied
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
