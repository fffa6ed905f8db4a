// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/transport/bundled/parts.hpp"

#include <algorithm>
#include <utility>

namespace halocline::exchange {

BundleParts::BundleParts(Context& context, std::shared_ptr<Bundle> bundle, std::vector<std::size_t> places,
                         SubdomainState& state)
    : context_(&context),
      bundle_(std::move(bundle)),
      places_(std::move(places)),
      state_(&state),
      stream_(context.backend->create_stream(state.device(), device::Priority::high,
                                             bundle_->channel(places_.front()).label())) {
  std::int64_t copied = 0;
  for (const std::size_t place : places_) {
    const std::int64_t capacity = payload_capacity(bundle_->channel(place).message);
    if (staged_on_device(context.tuning, capacity)) copied += capacity;
  }
  if (copied > 0) payloads_ = context.backend->allocate(state.device(), static_cast<std::size_t>(copied));
}

void BundleParts::prepare(const ExchangePlan& plan, device::Work work, const char* verb,
                          const MakeCopies& make_copies) {
  prepared_.make(plan, [&] {
    std::vector<Operation> operations;
    const std::span<const std::size_t> all(places_);
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      const std::size_t chunk = bundle_->last_chunk(plan, all[begin]);
      while (end < all.size() && bundle_->last_chunk(plan, all[end]) == chunk) ++end;
      operations.push_back(operation(plan, all.subspan(begin, end - begin), work, verb, make_copies));
    }
    while (done_.size() < operations.size()) done_.push_back(context_->backend->create_event(state_->device()));
    return operations;
  });
}

BundleParts::Operation BundleParts::operation(const ExchangePlan& plan, std::span<const std::size_t> places,
                                              device::Work work, const char* verb, const MakeCopies& make_copies) {
  Operation made{.places = places, .copies = nullptr, .runs = {}, .done = bundle_->signals(places, plan)};
  std::vector<device::StridedCopy> copies;
  std::vector<std::size_t> numbers;
  std::size_t bytes = 0;
  std::size_t copied = 0;
  for (const std::size_t place : places) {
    const Payload& payload = bundle_->payload(plan, place);
    std::byte* packed = bundle_->payload_at(plan, place);
    const auto size = static_cast<std::size_t>(payload.bytes);
    if (staged_on_device(context_->tuning, payload.bytes)) {
      const bool adjoins = !made.runs.empty() && made.runs.back().in_bundle + made.runs.back().bytes == packed;
      if (adjoins) made.runs.back().bytes += size;
      else made.runs.push_back({packed, copied, size});
      packed = payloads_->data() + copied;
      copied += size;
    }
    append(copies, make_copies(payload, packed));
    numbers.push_back(bundle_->channel(place).number);
    bytes += size;
  }
  made.copies = context_->backend->prepare(state_->device(), copies);
  made.all_copied = copied == bytes && bytes > 0;
  if (context_->tracer != nullptr) {
    const std::string track = bundle_->channel(first()).track(verb);
    made.packing = context_->tracer->add({work, state_->device(), track, numbers, 0, static_cast<std::int64_t>(bytes)});
    made.copying = context_->tracer->add(
        {device::Work::copy, state_->device(), track, numbers, 0, static_cast<std::int64_t>(copied)});
  }
  return made;
}

void BundleParts::begin(const ExchangePlan& plan) {
  operations_ = &prepared_.of(plan);
  joined_ = {};
}

/// Once where the ends of several parts ask for the same.
void BundleParts::join(std::size_t place, device::Stream& user) {
  const std::size_t operation = operation_of(place);
  if (std::exchange(joined_, {operation, &user}) != joined_) user.wait(*done_[operation]);
}

void BundleParts::pack_or_unpack(const Operation& operation) {
  traced(context_->tracer, operation.packing, *stream_, [&] { stream_->copy(*operation.copies); });
}

void BundleParts::post(const Operation& operation) {
  if (operation.done.empty()) return;
  std::uint64_t* const count = bundle_->count_of(first());
  if (operation.places.front() == first()) stream_->advance(count, operation.done);
  else stream_->signal(count, operation.done);
}

std::size_t BundleParts::operation_of(std::size_t place) const {
  std::size_t n = 0;
  while ((*operations_)[n].places.back() < place) ++n;
  return n;
}

PackedParts::PackedParts(Context& context, const std::shared_ptr<OutgoingBundle>& bundle,
                         std::vector<std::size_t> places)
    : BundleParts(context, bundle, places, context.state(bundle->channel(places.front()).message.from)) {
  for (const std::size_t place : places_) {
    bundle->add(place, [this, place] { return done_[operation_of(place)]->query(); });
  }
}

void PackedParts::prepare(const ExchangePlan& plan) {
  BundleParts::prepare(plan, device::Work::pack, "send",
                       [&](const Payload& payload, std::byte* to) { return pack_copies(payload, state_->memory, to); });
}

void PackedParts::start(const ExchangePlan& plan) {
  begin(plan);
  stream_->wait(*state_->begun);
  for (std::size_t n = 0; n < operations_->size(); ++n) {
    const Operation& operation = (*operations_)[n];
    pack_or_unpack(operation);
    copy_runs(operation,
              [&](const Run& run) { stream_->copy(run.in_bundle, payloads_->data() + run.offset, run.bytes); });
    post(operation);
    stream_->record(*done_[n]);
  }
}

UnpackedParts::UnpackedParts(Context& context, const std::shared_ptr<IncomingBundle>& bundle,
                             std::vector<std::size_t> places)
    : BundleParts(context, bundle, places, context.state(bundle->channel(places.front()).message.to)),
      incoming_(*bundle),
      emptied_(context.backend->create_event(state_->device())) {
  for (const std::size_t place : places_) bundle->add(place, [this] { return emptied_->query(); });
}

void UnpackedParts::prepare(const ExchangePlan& plan) {
  BundleParts::prepare(plan, device::Work::unpack, "receive", [&](const Payload& payload, const std::byte* from) {
    return unpack_copies(payload, state_->received, from);
  });
}

void UnpackedParts::start(const ExchangePlan& plan) {
  begin(plan);
  taken_ = 0;
}

void UnpackedParts::progress() {
  while (taken_ < operations_->size() && incoming_.has((*operations_)[taken_].places.back())) {
    take((*operations_)[taken_]);
  }
}

void UnpackedParts::take(const Operation& operation) {
  const std::size_t n = taken_++;
  const auto emptied = [&] {
    post(operation);
    if (taken_ == operations_->size()) stream_->record(*emptied_);
  };
  copy_runs(operation,
            [&](const Run& run) { stream_->copy(payloads_->data() + run.offset, run.in_bundle, run.bytes); });
  if (operation.all_copied) emptied();
  if (n == 0) stream_->wait(*state_->begun);
  pack_or_unpack(operation);
  if (!operation.all_copied) emptied();
  stream_->record(*done_[n]);
}

}  // namespace halocline::exchange
