// SPDX-License-Identifier: BSD-3-Clause
// The end of an exchange, with the update of the boundaries if there is one.
#include "domain/detail/domain_impl.hpp"

namespace halocline {

void Domain::Impl::make_boundary_updater() {
  std::vector<overlap::BoundaryUpdater::Part> parts;
  for (const Subdomain& s : subdomains) {
    parts.push_back(
        {s.device(), overlap::boundary_segments(s.update_box(0), s.interior(), s.owned(), widest()), s.boundary()});
  }
  boundary_updater = std::make_unique<overlap::BoundaryUpdater>(*backend, std::move(parts));
}

void Domain::Impl::join_timed(const std::function<void()>& join) {
  if (!exchange->under_way()) return join();
  if (slow_paths) exchange->guard([&] { slow_paths->join(streams); });
  if (!timer) return join();
  exchange->guard([&] { timer->join(streams); });
  join();
  exchange->guard([&] { timer->finish(streams); });
}

void Domain::Impl::finish_exchange() {
  join_timed([this] {
    exchange->finish();
    exchange->guard([&] {
      if (slow_paths) slow_paths->finish(*exchange, streams);
      fill_open_boundaries(exchanging);
    });
  });
}

void Domain::Impl::finish_exchange(const BoundaryUpdate& update) {
  if (slow_paths && exchange->under_way())
    exchange->guard([&] { slow_paths->finish_before_updates(*exchange, streams); });
  join_timed([&] { finish_with(update); });
}

void Domain::Impl::finish_with(const BoundaryUpdate& update) {
  if (options.update == overlap::Update::in_place) {
    // Boxes read cells that other boxes write, so they keep their order.
    exchange->finish();
    return exchange->guard([&] {
      fill_open_boundaries(exchanging);
      for (const Subdomain& subdomain : subdomains) update(subdomain, subdomain.boundary());
    });
  }
  if (!boundary_updater) make_boundary_updater();
  const auto in_stream = [&](std::size_t place, device::Stream& stream, std::span<const Box> boxes) {
    Subdomain subdomain = subdomains[place];
    subdomain.stream_ = &stream;
    update(subdomain, boxes);
  };
  boundary_updater->finish(*exchange, streams, in_stream);
  exchange->guard([&] {
    fill_open_boundaries(exchanging);
    boundary_updater->finish_others(streams, in_stream);
  });
}

Domain& ExchangeHandle::unfinished(const char* call) const {
  if (domain_ != nullptr) return *domain_;
  throw InvalidArgument(
      fmt::format("{} of an exchange that was finished before; start_exchange() starts another", call));
}

void ExchangeHandle::finish() {
  Domain::Impl& domain = Domain::Impl::of(unfinished("finish()"));
  domain.check_realized("finish()");
  domain.finish_exchange();
  domain_ = nullptr;
}

void ExchangeHandle::finish(const BoundaryUpdate& update) {
  Domain::Impl& domain = Domain::Impl::of(unfinished("finish()"));
  domain.check_realized("finish()");
  domain.finish_exchange(update);
  domain_ = nullptr;
}

bool ExchangeHandle::is_ready() {
  Domain::Impl& domain = Domain::Impl::of(unfinished("is_ready()"));
  domain.check_realized("is_ready()");
  return domain.exchange->progress();
}

}  // namespace halocline
