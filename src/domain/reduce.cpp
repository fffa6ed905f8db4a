// SPDX-License-Identifier: BSD-3-Clause
// Reductions of fields over all ranks.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "domain/detail/domain_impl.hpp"

namespace halocline {

void Domain::Impl::make_reductions() {
  if (!reduced.empty())
    reductions = std::make_unique<Reductions>(plan->geometry, *backend, memory().subdomains, reduced);
}

void Domain::Impl::connect_reductions() {
  if (!reductions) return;
  const std::vector<Verdict> own(mine.size(), Verdict::of(true));
  const exchange::Exchange* before = exchange.get();
  for (std::size_t round = 0; round < reductions->rounds(); ++round) {
    // A separate group, because the messages of several exchanges have the same tags.
    auto group = comm->split(0, static_cast<int>(comm->rank().value()));
    group->set_timeout(options.timeout);
    std::vector<RoutedMessage> routed;
    Memory memory{&reductions->geometry(round), reductions->subdomains(round), own, own, false, "reduce", before};
    if (round > 0) memory.recorded_as += fmt::format(", round {}", round + 1);
    auto connected = connect(*group, std::move(memory), routed);
    before = connected.get();
    reductions->use(round, std::move(group), std::move(connected), routed);
  }
}

void Domain::Impl::check_reduction(reduction_id reduction) const {
  if (reduction.valid() && reduction.index() < reduced.size()) return;
  if (reduced.empty()) {
    throw InvalidArgument(
        fmt::format("reduction is {}, of a domain without any; add_reduction() makes them", reduction.value()));
  }
  throw InvalidArgument(fmt::format("reduction is {}; allowed are 0 to {}", reduction.value(), reduced.size() - 1));
}

void Domain::Impl::reduce(std::span<const reduction_id> which) {
  check_idle("reduce()");
  std::vector<reduction_id> sorted(which.begin(), which.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<int> buffers;
  for (const reduction_id one : sorted) {
    check_reduction(one);
    buffers.push_back(current[reduced[one.index()].field.index()]);
  }
  if (sorted.empty()) return;
  const device::CountMemory counted(*account, device::Purpose::other);
  if (captured()) {
    if (const Verdict can = reductions->capturable(); !can.yes) {
      throw CapabilityError("a reduction cannot be captured in a graph: " + can.why_not);
    }
    std::vector<Transfer> read;
    for (const reduction_id one : sorted) read.push_back({.field = reduced[one.index()].field});
    exchange->expect(streams, selection(read), "reduce()");
  }
  reductions->run(streams, sorted, buffers, *exchange);
}

reduction_id Domain::add_reduction(field_id field, Reduce what) {
  impl_->life().check_before_plan("add_reduction");
  if (impl_->fields.empty())
    throw InvalidArgument("add_reduction() of a domain without fields; add_field() makes them");
  const FieldDescriptor& descriptor = impl_->field(field);
  if (descriptor.element != Element::f32 && descriptor.element != Element::f64) {
    throw InvalidArgument(fmt::format("field '{}' is of {}; allowed for a reduction are f32 and f64", descriptor.name,
                                      halocline::to_string(descriptor.element)));
  }
  impl_->reduced.push_back({field, what});
  return reduction_id(static_cast<std::int64_t>(impl_->reduced.size()) - 1);
}

void Domain::reduce(reduction_id reduction) { impl_->reduce({&reduction, 1}); }
void Domain::reduce(const std::vector<reduction_id>& reductions) { impl_->reduce(reductions); }

double Domain::value(reduction_id reduction) {
  impl_->check_realized("value()");
  impl_->check_reduction(reduction);
  if (!impl_->reductions->has_run(reduction)) throw InvalidArgument("value() must be called after reduce()");
  if (impl_->captured()) {
    throw InvalidArgument("value() while steps are being captured; allowed is after the capture's finish()");
  }
  if (impl_->streams.empty()) throw InvalidArgument("value() on a rank without subdomains; allowed are the others");
  const double* value = nullptr;
  impl_->exchange->guard([&] { value = impl_->reductions->fetch(reduction, *impl_->streams.front()); });
  synchronize();
  return *value;
}

const double* Subdomain::result(reduction_id reduction) const {
  Domain::Impl& domain = Domain::Impl::of(*domain_);
  domain.check_realized("result()");
  domain.check_reduction(reduction);
  return domain.reductions->result(position_, reduction);
}

}  // namespace halocline
