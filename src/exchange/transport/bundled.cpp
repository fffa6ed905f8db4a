// SPDX-License-Identifier: BSD-3-Clause
// mpi_staged for several messages from one rank to another, which travel as one message of MPI, a bundle: one header, then
// the payloads one after the other (docs/decisions/0069). Each message keeps its ends, with the stream in which its
// device packs or unpacks; the ends of a bundle share its host memory and its requests.
#include <functional>

#include "exchange/transport/factory.hpp"
#include "exchange/transport/mpi_ends.hpp"

namespace halocline::exchange {
namespace {

using Channels = std::vector<const Channel*>;

/// Where the payloads of a bundle lie in a selection, and the chunks in which it is sent.
struct Layout {
  std::vector<Payload> payloads;    ///< by message
  std::vector<std::size_t> begins;  ///< of the payloads; then the bytes of all
  std::vector<Chunk> chunks;
  std::vector<std::unique_ptr<comm::PersistentRequest>> requests;  ///< by chunk
};

/// What the ends of a bundle on one rank share.
class Bundle {
 public:
  Bundle(Channels channels, Context& context) : context_(&context), channels_(std::move(channels)) {
    std::size_t capacity = 0;
    for (const Channel* channel : channels_) {
      capacity += static_cast<std::size_t>(payload_capacity(channel->message));
      numbers_.push_back(channel->number);
    }
    message_ = context.backend->allocate_pinned(sizeof(Header) + capacity);
    // Memory that a failed receive leaves unwritten must not look like a header of the first exchange.
    put_header({});
  }

  [[nodiscard]] const Payload& payload(const ExchangePlan& plan, std::size_t part) const {
    return layouts_.of(plan).payloads[part];
  }
  [[nodiscard]] std::byte* payload_at(const ExchangePlan& plan, std::size_t part) const {
    return message_->data() + sizeof(Header) + layouts_.of(plan).begins[part];
  }

 protected:
  /// Once for each plan. make_request(bytes) returns the request of a chunk.
  template <typename MakeRequest>
  void prepare(const ExchangePlan& plan, MakeRequest&& make_request) {
    layouts_.make(plan, [&] {
      Layout layout;
      layout.begins.push_back(0);
      for (const Channel* channel : channels_) {
        layout.payloads.push_back(payload_of(channel->message, plan.selection));
        layout.begins.push_back(layout.begins.back() + static_cast<std::size_t>(layout.payloads.back().bytes));
      }
      layout.chunks = chunks_of(static_cast<std::int64_t>(layout.begins.back()), context_->tuning.staging_chunk_bytes);
      for (const Chunk& chunk : layout.chunks) {
        layout.requests.push_back(make_request(place_of(chunk, message_->data())));
      }
      return layout;
    });
  }
  /// The operation of the host for all messages.
  [[nodiscard]] std::size_t describe_transfer(device::Work work, const char* verb) const {
    if (context_->tracer == nullptr) return 0;
    std::int64_t bytes = 0;
    for (const Channel* channel : channels_) bytes += channel->message.bytes();
    return context_->tracer->add({work, -1, channels_.front()->track(verb), numbers_, 0, bytes});
  }
  void put_header(const Header& header) { std::memcpy(message_->data(), &header, sizeof header); }
  [[nodiscard]] Header header() const {
    Header header;
    std::memcpy(&header, message_->data(), sizeof header);
    return header;
  }
  [[nodiscard]] std::string chunk_text(std::size_t chunk) const {
    return fmt::format("chunk {} of {}, in one message with {} more", chunk + 1, layout_->chunks.size(),
                       channels_.size() - 1);
  }
  void ran(std::size_t transfer) {
    if (context_->tracer != nullptr) context_->tracer->ran(transfer, begun_, device::Tracer::now());
  }
  void note_begin() {
    if (context_->tracer != nullptr) begun_ = device::Tracer::now();
  }

  Context* context_;
  Channels channels_;
  std::vector<std::size_t> numbers_;  ///< of the channels
  std::unique_ptr<device::Buffer> message_;
  Prepared<Layout> layouts_;
  const Layout* layout_ = nullptr;
  std::uint64_t epoch_ = 0;
  Duration begun_{};  ///< for the tracer
};

/// A chunk is sent as soon as all messages that it has bytes of are packed.
class Outgoing final : public Bundle {
 public:
  Outgoing(Channels channels, Context& context)
      : Bundle(std::move(channels), context), transfer_(describe_transfer(device::Work::send, "send")) {}
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;
  /// After a failure: a message that is under way is still read.
  ~Outgoing() {
    if (done_ < started_) leak(std::move(message_));
  }

  /// packed: recorded when the next message, in the bundle's order, is packed.
  void add(const device::Event& packed) { packings_.push_back(&packed); }
  void prepare(const ExchangePlan& plan) {
    Bundle::prepare(plan, [&](std::span<std::byte> bytes) {
      return context_->comm->persistent_send(bytes, channels_.front()->receiver, channels_.front()->tag);
    });
  }
  void start(const ExchangePlan& plan) {
    layout_ = &layouts_.of(plan);
    packed_ = started_ = done_ = 0;
    put_header({plan.token, ++epoch_});
  }
  /// True if the whole bundle has left.
  [[nodiscard]] bool progress() {
    const std::size_t chunks = layout_->chunks.size();
    if (done_ == chunks) return true;
    while (packed_ < packings_.size() && packings_[packed_]->query()) ++packed_;
    while (started_ < chunks && layout_->chunks[started_].end <= layout_->begins[packed_]) {
      if (started_ == 0) note_begin();
      layout_->requests[started_++]->start();
    }
    while (done_ < started_ && layout_->requests[done_]->test()) ++done_;
    if (done_ < chunks) return false;
    ran(transfer_);
    return true;
  }
  [[nodiscard]] std::string state(std::size_t part) const {
    if (done_ < started_) return fmt::format("MPI send of {} under way", chunk_text(done_));
    if (packed_ <= part) return "packing";
    const partition::Message& late = channels_[packed_]->message;
    return fmt::format("packing subdomain {} -> {}, which {} has bytes of", late.from.value(), late.to.value(),
                       chunk_text(started_));
  }

 private:
  std::vector<const device::Event*> packings_;
  std::size_t packed_ = 0;   ///< messages that are packed, without a gap
  std::size_t started_ = 0;  ///< chunks whose send was started
  std::size_t done_ = 0;     ///< chunks whose send is complete
  std::size_t transfer_;     ///< for the tracer
};

/// A message is unpacked as soon as all its chunks are here.
class Incoming final : public Bundle {
 public:
  /// Whether a message has left the host memory since it arrived last.
  using Emptied = std::function<bool()>;

  Incoming(Channels channels, Context& context)
      : Bundle(std::move(channels), context), transfer_(describe_transfer(device::Work::receive, "receive")) {}
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;
  /// After a failure: a message that is under way may still arrive.
  ~Incoming() {
    if (phase_ == Phase::receiving) leak(std::move(message_));
  }

  void add(Emptied emptied) { emptied_.push_back(std::move(emptied)); }
  void prepare(const ExchangePlan& plan) {
    Bundle::prepare(plan, [&](std::span<std::byte> bytes) {
      return context_->comm->persistent_receive(bytes, channels_.front()->sender, channels_.front()->tag);
    });
  }
  void start(const ExchangePlan& plan) {
    layout_ = &layouts_.of(plan);
    expected_ = {plan.token, ++epoch_};
    arrived_ = 0;
    phase_ = Phase::emptying;
  }
  void progress() {
    if (phase_ == Phase::emptying && std::ranges::all_of(emptied_, [](const Emptied& emptied) { return emptied(); })) {
      note_begin();
      for (const auto& request : layout_->requests) request->start();
      phase_ = Phase::receiving;
    }
    while (phase_ == Phase::receiving && next_is_here()) {
      if (arrived_ == 0) check_header();
      if (++arrived_ < layout_->chunks.size()) continue;
      ran(transfer_);
      phase_ = Phase::idle;
    }
  }
  [[nodiscard]] bool has(std::size_t part) const {
    return arrived_ > 0 && layout_->begins[part + 1] <= layout_->chunks[arrived_ - 1].end;
  }
  [[nodiscard]] std::string state() const {
    if (phase_ == Phase::emptying) return "last message not unpacked yet";
    return fmt::format("MPI receive of {} under way", chunk_text(arrived_));
  }

 private:
  enum class Phase { idle, emptying, receiving };

  /// A first chunk of another length is a symptom; its header, if it arrived, contains the cause.
  [[nodiscard]] bool next_is_here() {
    try {
      return layout_->requests[arrived_]->test();
    } catch (const CommunicationError&) {
      if (arrived_ > 0) throw;
      check_header(std::current_exception());
      throw;
    }
  }
  void check_header(const std::exception_ptr& failed = nullptr) const {
    compare(header(), expected_, failed, *channels_.front());
  }

  std::vector<Emptied> emptied_;  ///< by message
  Phase phase_ = Phase::idle;
  std::size_t arrived_ = 0;  ///< chunks
  Header expected_;
  std::size_t transfer_;  ///< for the tracer
};

/// An end of one message of a bundle. Large payloads are packed on the device and copied, each as a whole.
template <typename Shared>
class BundledEnd : public HostEndpoint {
 public:
  void each_stream(const VisitStream& visit) final { visit(stream_); }

 protected:
  BundledEnd(const Channel& channel, Context& context, std::shared_ptr<Shared> bundle, std::size_t part,
             SubdomainState& state)
      : channel_(&channel),
        context_(&context),
        bundle_(std::move(bundle)),
        place_(part),
        state_(&state),
        stream_(context.backend->create_stream(state.device(), device::Priority::high, channel.label())) {
    const std::int64_t capacity = payload_capacity(channel.message);
    if (staged_on_device(context.tuning, capacity))
      payload_ = context.backend->allocate(state.device(), static_cast<std::size_t>(capacity));
  }

  /// What this end does in a plan.
  struct Part {
    std::unique_ptr<device::CopyList> copies;  ///< packs or unpacks
    std::byte* in_bundle = nullptr;
    std::size_t bytes = 0;
    bool copied = false;                   ///< between the bundle and payload_
    std::size_t packing = 0, copying = 0;  ///< for the tracer
  };
  template <typename MakeCopies>
  void prepare_part(const ExchangePlan& plan, device::Work work, const char* verb, MakeCopies&& make_copies) {
    if (place_ == 0) bundle_->prepare(plan);
    parts_.make(plan, [&] {
      const Payload& payload = bundle_->payload(plan, place_);
      Part part;
      part.in_bundle = bundle_->payload_at(plan, place_);
      part.bytes = static_cast<std::size_t>(payload.bytes);
      part.copied = staged_on_device(context_->tuning, payload.bytes);
      part.copies = context_->backend->prepare(state_->device(),
                                               make_copies(payload, part.copied ? payload_->data() : part.in_bundle));
      part.packing = describe(*context_, work, state_->device(), *channel_, verb, payload.bytes);
      part.copying = describe(*context_, device::Work::copy, state_->device(), *channel_, verb, payload.bytes);
      return part;
    });
  }
  void start_part(const ExchangePlan& plan) {
    if (place_ == 0) bundle_->start(plan);
    part_ = &parts_.of(plan);
  }
  void pack_or_unpack() {
    traced(context_->tracer, part_->packing, *stream_, [&] { stream_->copy(*part_->copies); });
  }

  const Channel* channel_;
  Context* context_;
  std::shared_ptr<Shared> bundle_;  // outlives the stream below, whose work uses it
  std::size_t place_;               ///< in the bundle
  SubdomainState* state_;
  std::unique_ptr<device::Buffer> payload_;  ///< on the device; null if no selection's payload is copied
  Prepared<Part> parts_;
  const Part* part_ = nullptr;
  std::unique_ptr<device::Stream> stream_;
};

class BundledSender final : public BundledEnd<Outgoing> {
 public:
  BundledSender(const Channel& channel, Context& context, std::shared_ptr<Outgoing> bundle, std::size_t part)
      : BundledEnd(channel, context, std::move(bundle), part, context.state(channel.message.from)),
        packed_(context.backend->create_event(state_->device())) {
    bundle_->add(*packed_);
  }

  void prepare(const ExchangePlan& plan) override {
    prepare_part(plan, device::Work::pack, "send",
                 [&](const Payload& payload, std::byte* to) { return pack_copies(payload, state_->memory, to); });
  }
  void start(const ExchangePlan& plan) override {
    start_part(plan);
    stream_->wait(*state_->begun);
    pack_or_unpack();
    if (part_->copied) {
      traced(context_->tracer, part_->copying, *stream_,
             [&] { stream_->copy(part_->in_bundle, payload_->data(), part_->bytes); });
    }
    stream_->record(*packed_);
  }
  bool progress() override { return bundle_->progress(); }
  void join(device::Stream& user) override { user.wait(*packed_); }
  [[nodiscard]] std::string state() const override { return bundle_->state(place_); }

 private:
  std::unique_ptr<device::Event> packed_;  ///< and copied, if it is
};

class BundledReceiver final : public BundledEnd<Incoming> {
 public:
  BundledReceiver(const Channel& channel, Context& context, std::shared_ptr<Incoming> bundle, std::size_t part)
      : BundledEnd(channel, context, std::move(bundle), part, context.state(channel.message.to)),
        fetched_(context.backend->create_event(state_->device())),
        unpacked_(context.backend->create_event(state_->device())) {
    bundle_->add([this] { return (copied_last_ ? *fetched_ : *unpacked_).query(); });
  }

  void prepare(const ExchangePlan& plan) override {
    prepare_part(plan, device::Work::unpack, "receive", [&](const Payload& payload, const std::byte* from) {
      return unpack_copies(payload, state_->received, from);
    });
  }
  void start(const ExchangePlan& plan) override {
    start_part(plan);
    taken_ = false;
  }
  bool progress() override {
    bundle_->progress();
    if (!taken_ && bundle_->has(place_)) take();
    return taken_;
  }
  void join(device::Stream& user) override { user.wait(*unpacked_); }
  [[nodiscard]] std::string state() const override { return bundle_->state(); }

 private:
  void take() {
    taken_ = true;
    copied_last_ = part_->copied;
    if (copied_last_) {
      traced(context_->tracer, part_->copying, *stream_,
             [&] { stream_->copy(payload_->data(), part_->in_bundle, part_->bytes); });
      stream_->record(*fetched_);
    }
    stream_->wait(*state_->begun);
    pack_or_unpack();
    stream_->record(*unpacked_);
  }

  bool taken_ = false;
  bool copied_last_ = false;  ///< the last message left the bundle with fetched_, else with unpacked_
  std::unique_ptr<device::Event> fetched_;
  std::unique_ptr<device::Event> unpacked_;
};

}  // namespace

std::vector<Ends> make_bundled(const std::vector<const Channel*>& channels, Context& context, rank_id me) {
  check_staging(context.tuning);
  std::vector<Ends> ends(channels.size());
  if (channels.front()->sender == me) {
    const auto bundle = std::make_shared<Outgoing>(channels, context);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      ends[i].sender = std::make_unique<BundledSender>(*channels[i], context, bundle, i);
    }
  }
  if (channels.front()->receiver == me) {
    const auto bundle = std::make_shared<Incoming>(channels, context);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      ends[i].receiver = std::make_unique<BundledReceiver>(*channels[i], context, bundle, i);
    }
  }
  return ends;
}

}  // namespace halocline::exchange
