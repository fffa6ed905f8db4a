// SPDX-License-Identifier: BSD-3-Clause
// The end of an exchange with the update of what surrounds the interiors.
#include "domain/detail/domain_impl.hpp"

namespace halocline {

void Domain::Impl::make_outer_update() {
  std::vector<overlap::OuterUpdate::Part> parts;
  for (const Subdomain& s : subdomains) {
    parts.push_back(
        {s.device(), overlap::outer_segments(s.update_box(0), s.interior(), s.owned(), widest()), s.exterior()});
  }
  outer = std::make_unique<overlap::OuterUpdate>(*backend, std::move(parts));
}

void Domain::finish_exchange(const ExteriorUpdate& update) {
  impl_->check_realized("finish_exchange()");
  if (impl_->options.update == overlap::Update::in_place) {
    // Boxes read what others write: they keep their order.
    finish_exchange();
    return impl_->exchange->guard([&] {
      for (const Subdomain& subdomain : impl_->subdomains) update(subdomain, subdomain.exterior());
    });
  }
  if (!impl_->outer) impl_->make_outer_update();
  const auto in_stream = [&](std::size_t place, device::Stream& stream, std::span<const Box> boxes) {
    Subdomain subdomain = impl_->subdomains[place];
    subdomain.stream_ = &stream;
    update(subdomain, boxes);
  };
  impl_->outer->finish(*impl_->exchange, impl_->streams, in_stream);
  impl_->exchange->guard([&] {
    impl_->fill_open_boundaries(0, impl_->exchanging);
    impl_->outer->finish_others(impl_->streams, in_stream);
  });
}

}  // namespace halocline
