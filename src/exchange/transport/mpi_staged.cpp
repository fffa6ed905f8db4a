// SPDX-License-Identifier: BSD-3-Clause
// mpi_staged: any pair of ranks. Pack, copy to pinned host memory, MPI, copy to the device, unpack; in chunks, so that
// the copies of one overlap with the transfer of others. Small messages are packed into pinned memory and unpacked from
// it.
//
// Chunks are all posted at once and overlap: while one is copied, the one before it is under way, and its predecessor
// is copied at the other end. They have one tag, so MPI matches them in order. Each has its own place in the message,
// which has space for every selection: a chunk of another selection than this end's therefore stays within the
// message. The first chunk contains the header, which is compared before anything is unpacked or copied.
//
// Work is enqueued operation by operation, not as a graph: the host has to query each chunk's event, and events within
// a graph cannot be queried. Small messages are one operation anyway, and large ones are bound by the links.
#include "core/leak.hpp"
#include "exchange/transport/factory.hpp"
#include "exchange/transport/mpi_parts.hpp"

namespace halocline::exchange {
namespace {

/// The whole message in pinned host memory; large payloads on the device, too.
class Staged {
 public:
  Staged(const Channel& channel, Context& context, subdomain_id here) : tuning_(context.tuning) {
    const auto capacity = static_cast<std::size_t>(payload_capacity(channel.message));
    message_ = context.backend->allocate_pinned(sizeof(Header) + capacity);
    if (copied(capacity)) payload_ = context.backend->allocate(context.state(here).device(), capacity);
  }

  [[nodiscard]] bool copied(std::size_t bytes) const {
    return staged_on_device(tuning_, static_cast<std::int64_t>(bytes));
  }
  [[nodiscard]] std::int64_t chunk_bytes() const { return tuning_.staging_chunk_bytes; }
  [[nodiscard]] std::byte* message_at() const { return message_->data(); }
  [[nodiscard]] std::byte* payload_at(std::size_t bytes) const {
    return copied(bytes) ? payload_->data() : message_at() + sizeof(Header);
  }

  void put_header(const Header& header) { std::memcpy(message_at(), &header, sizeof header); }
  [[nodiscard]] Header header() const {
    Header got;
    std::memcpy(&got, message_at(), sizeof got);
    return got;
  }
  void put(const Chunk& chunk, device::Stream& stream) {
    stream.copy(place_of_cells(chunk), payload_->data() + chunk.begin, chunk.bytes());
  }
  void fetch(const Chunk& chunk, device::Stream& stream) {
    stream.copy(payload_->data() + chunk.begin, place_of_cells(chunk), chunk.bytes());
  }

 private:
  [[nodiscard]] std::byte* place_of_cells(const Chunk& chunk) const {
    return message_at() + sizeof(Header) + chunk.begin;
  }

  Tuning tuning_;
  std::unique_ptr<device::Buffer> message_;
  std::unique_ptr<device::Buffer> payload_;  ///< null if no selection's payload needs the copies
};

class StagedSender final : public HostEndpoint {
 public:
  StagedSender(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(channel.message.from)),
        buffers_(std::make_shared<Staged>(channel, context, channel.message.from)),
        stream_(context.backend->create_stream(state_->device(), device::Priority::high, channel.label())),
        packed_(context.backend->create_event(state_->device())) {
    const std::int64_t capacity = payload_capacity(channel.message);
    if (!buffers_->copied(static_cast<std::size_t>(capacity))) return;
    for (std::size_t n = chunks_of(capacity, buffers_->chunk_bytes()).size(); n > 0; --n) {
      copied_.push_back(context.backend->create_event(state_->device()));
    }
  }

  StagedSender(const StagedSender&) = delete;
  StagedSender& operator=(const StagedSender&) = delete;
  /// After a failure: a message that is under way is still read.
  ~StagedSender() override {
    if (done_ < started_) leak(buffers_);
  }

  void prepare(const ExchangePlan& plan) override {
    parts_.make(plan, [&] {
      const Payload payload = payload_of(channel_->message, plan.selection);
      const auto bytes = static_cast<std::size_t>(payload.bytes);
      const auto copies = pack_copies(payload, state_->memory, buffers_->payload_at(bytes));
      return part_of(copies, bytes, buffers_->chunk_bytes(), *channel_, true, *context_, [&](const Chunk& chunk) {
        return context_->comm->persistent_send(place_of(chunk, buffers_->message_at()), channel_->receiver,
                                               channel_->tag);
      });
    });
  }

  /// The messages of the last exchange have left their buffer: it was finished.
  void start(const ExchangePlan& plan, device::Stream* /*in_order*/) override {
    part_ = &parts_.of(plan);
    started_ = done_ = 0;
    stream_->wait(*state_->begun);
    buffers_->put_header({plan.token, ++epoch_});
    traced(context_->tracer, part_->packing, *stream_, [&] { stream_->copy(*part_->copies); });
    stream_->record(*packed_);
    for (std::size_t k = 0; k < part_->chunks.size() && buffers_->copied(part_->bytes); ++k) {
      traced(context_->tracer, part_->copying, *stream_, [&] { buffers_->put(part_->chunks[k], *stream_); });
      stream_->record(*copied_[k]);
    }
  }

  bool progress() override {
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
  std::shared_ptr<Staged> buffers_;  // outlives the stream below, whose work uses it
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

class StagedReceiver final : public HostEndpoint {
 public:
  StagedReceiver(const Channel& channel, Context& context)
      : channel_(&channel),
        context_(&context),
        state_(&context.state(channel.message.to)),
        buffers_(std::make_shared<Staged>(channel, context, channel.message.to)),
        stream_(context.backend->create_stream(state_->device(), device::Priority::high, channel.label())),
        fetched_(context.backend->create_event(state_->device())),
        unpacked_(context.backend->create_event(state_->device())) {
    // Memory that a failed receive leaves unwritten must not look like a header of the first exchange.
    buffers_->put_header(Header{});
  }

  StagedReceiver(const StagedReceiver&) = delete;
  StagedReceiver& operator=(const StagedReceiver&) = delete;
  /// After a failure: a message that is under way may still arrive.
  ~StagedReceiver() override {
    if (phase_ == Phase::receiving) leak(buffers_);
  }

  void prepare(const ExchangePlan& plan) override {
    parts_.make(plan, [&] {
      const Payload payload = payload_of(channel_->message, plan.selection);
      const auto bytes = static_cast<std::size_t>(payload.bytes);
      const auto copies = unpack_copies(payload, state_->received, buffers_->payload_at(bytes));
      return part_of(copies, bytes, buffers_->chunk_bytes(), *channel_, false, *context_, [&](const Chunk& chunk) {
        return context_->comm->persistent_receive(place_of(chunk, buffers_->message_at()), channel_->sender,
                                                  channel_->tag);
      });
    });
  }

  void start(const ExchangePlan& plan, device::Stream* /*in_order*/) override {
    part_ = &parts_.of(plan);
    expected_ = {plan.token, ++epoch_};
    arrived_ = 0;
    phase_ = Phase::emptying;
  }

  bool progress() override {
    // The last message must have been copied out of its buffer before the next may arrive.
    if (phase_ == Phase::emptying && (copied_last_ ? *fetched_ : *unpacked_).query()) {
      if (context_->tracer != nullptr) begun_ = device::Tracer::now();
      for (const auto& request : part_->requests) request->start();
      phase_ = Phase::receiving;
    }
    while (phase_ == Phase::receiving && next_is_here()) {
      if (arrived_ == 0) compare(buffers_->header(), expected_, failed_, *channel_);
      take();
    }
    return phase_ == Phase::idle;
  }

  void join(device::Stream& user) override { user.wait(*unpacked_); }
  void each_stream(const VisitStream& visit) override { visit(stream_); }
  [[nodiscard]] std::string state() const override {
    if (phase_ == Phase::emptying) return "last message not unpacked yet";
    return fmt::format("MPI receive of chunk {} of {} under way", arrived_ + 1, part_->chunks.size());
  }

 private:
  enum class Phase { idle, emptying, receiving };

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
  std::shared_ptr<Staged> buffers_;  // outlives the stream below, whose work uses it
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
  std::unique_ptr<device::Event> fetched_;  ///< after the last chunk's copy, if chunks are copied
  std::unique_ptr<device::Event> unpacked_;
};

}  // namespace

Ends make_mpi_staged(const Channel& channel, Context& context, bool sends, bool receives) {
  Ends ends;
  if (sends) ends.sender = std::make_unique<StagedSender>(channel, context);
  if (receives) ends.receiver = std::make_unique<StagedReceiver>(channel, context);
  return ends;
}

}  // namespace halocline::exchange
