// SPDX-License-Identifier: BSD-3-Clause
// The ends of messages that travel in bundles: each has a stream, in which its device packs or unpacks; the ends of a bundle on one
// rank share its memory on the host and its requests.
#include "exchange/transport/bundled/bundle.hpp"
#include "exchange/transport/factory.hpp"

namespace halocline::exchange {
namespace {

/// An end of one message of a bundle. Large payloads are packed on the device and copied, each as a whole.
template <typename Shared>
class BundledEnd : public HostEndpoint {
 public:
  void each_stream(const VisitStream& visit) final { visit(stream_); }
  void publish(ByteWriter& writer) final { bundle_->publish(writer); }
  void connect(ByteReader& reader) final { bundle_->connect(reader); }

 protected:
  /// first: of the ends of the bundle on this rank.
  BundledEnd(const Channel& channel, Context& context, std::shared_ptr<Shared> bundle, std::size_t part, bool first,
             SubdomainState& state)
      : channel_(&channel),
        context_(&context),
        bundle_(std::move(bundle)),
        place_(part),
        first_(first),
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
    if (first_) bundle_->prepare(plan);
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
    if (first_) bundle_->start(plan);
    part_ = &parts_.of(plan);
  }
  void pack_or_unpack() {
    traced(context_->tracer, part_->packing, *stream_, [&] { stream_->copy(*part_->copies); });
  }

  const Channel* channel_;
  Context* context_;
  std::shared_ptr<Shared> bundle_;  // outlives the stream below, whose work uses it
  std::size_t place_;               ///< in the bundle
  bool first_;
  SubdomainState* state_;
  std::unique_ptr<device::Buffer> payload_;  ///< on the device; null if no selection's payload is copied
  Prepared<Part> parts_;
  const Part* part_ = nullptr;
  std::unique_ptr<device::Stream> stream_;
};

class BundledSender final : public BundledEnd<OutgoingBundle> {
 public:
  BundledSender(const Channel& channel, Context& context, std::shared_ptr<OutgoingBundle> bundle, std::size_t part,
                bool first)
      : BundledEnd(channel, context, std::move(bundle), part, first, context.state(channel.message.from)),
        packed_(context.backend->create_event(state_->device())) {
    bundle_->add(place_, [this] { return packed_->query(); });
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
    bundle_->post(place_, plan, *stream_);
    stream_->record(*packed_);
  }
  bool progress() override { return bundle_->progress(); }
  void join(device::Stream& user) override { user.wait(*packed_); }
  [[nodiscard]] std::string state() const override { return bundle_->state(place_); }

 private:
  std::unique_ptr<device::Event> packed_;  ///< and copied, if it is
};

class BundledReceiver final : public BundledEnd<IncomingBundle> {
 public:
  BundledReceiver(const Channel& channel, Context& context, std::shared_ptr<IncomingBundle> bundle, std::size_t part,
                  bool first)
      : BundledEnd(channel, context, std::move(bundle), part, first, context.state(channel.message.to)),
        fetched_(context.backend->create_event(state_->device())),
        unpacked_(context.backend->create_event(state_->device())) {
    bundle_->add(place_, [this] { return (copied_last_ ? *fetched_ : *unpacked_).query(); });
  }

  void prepare(const ExchangePlan& plan) override {
    prepare_part(plan, device::Work::unpack, "receive", [&](const Payload& payload, const std::byte* from) {
      return unpack_copies(payload, state_->received, from);
    });
  }
  void start(const ExchangePlan& plan) override {
    start_part(plan);
    plan_ = &plan;
    taken_ = false;
  }
  bool progress() override {
    bundle_->progress();
    if (!taken_ && bundle_->has(place_)) take();
    return taken_ && !bundle_->receives_for_others();
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
      bundle_->post(place_, *plan_, *stream_);
    }
    stream_->wait(*state_->begun);
    pack_or_unpack();
    if (!copied_last_) bundle_->post(place_, *plan_, *stream_);
    stream_->record(*unpacked_);
  }

  const ExchangePlan* plan_ = nullptr;
  bool taken_ = false;
  bool copied_last_ = false;  ///< the last message left the bundle with fetched_, else with unpacked_
  std::unique_ptr<device::Event> fetched_;
  std::unique_ptr<device::Event> unpacked_;
};

}  // namespace

std::vector<std::pair<const Channel*, Ends>> make_bundled(const BundleSite& site, Context& context, rank_id me) {
  check_staging(context.tuning);
  std::vector<std::pair<const Channel*, Ends>> made;
  std::shared_ptr<OutgoingBundle> outgoing;
  std::shared_ptr<IncomingBundle> incoming;
  for (std::size_t part = 0; part < site.channels.size(); ++part) {
    const Channel& channel = *site.channels[part];
    Ends ends;
    if (channel.sender == me) {
      const bool first = outgoing == nullptr;
      if (first) outgoing = std::make_shared<OutgoingBundle>(site, context, me);
      ends.sender = std::make_unique<BundledSender>(channel, context, outgoing, part, first);
    }
    if (channel.receiver == me) {
      const bool first = incoming == nullptr;
      if (first) incoming = std::make_shared<IncomingBundle>(site, context, me);
      ends.receiver = std::make_unique<BundledReceiver>(channel, context, incoming, part, first);
    }
    if (ends.sender || ends.receiver) made.emplace_back(&channel, std::move(ends));
  }
  return made;
}

}  // namespace halocline::exchange
