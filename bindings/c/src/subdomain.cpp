// SPDX-License-Identifier: BSD-3-Clause
// Subdomains and their regions.
#include <algorithm>

#include "convert.hpp"
#include "handles.hpp"

using halocline::Subdomain;
using halocline::c::box_of;
using halocline::c::checked_count;
using halocline::c::guarded;
using halocline::c::required;
using halocline::c::subdomain_at;
using halocline::c::vec;

halocline_status halocline_domain_subdomain_count(const halocline_domain* domain, int32_t* count) {
  return guarded([&] {
    required(count, "count") = static_cast<std::int32_t>(required(domain, "domain").state->domain.subdomains().size());
  });
}

halocline_status halocline_subdomain_get(const halocline_domain* domain, int32_t subdomain,
                                         halocline_subdomain* result) {
  return guarded([&] {
    const Subdomain& at = subdomain_at(*required(domain, "domain").state, subdomain);
    required(result, "result") = {at.id().value(),
                                  at.device(),
                                  at.device_info().native_ordinal,
                                  {at.wraps(0), at.wraps(1), at.wraps(2)},
                                  0,
                                  box_of(at.owned()),
                                  box_of(at.interior())};
  });
}

halocline_status halocline_subdomain_boundary(const halocline_domain* domain, int32_t subdomain, int32_t capacity,
                                              halocline_box* boxes, int32_t* count) {
  return guarded([&] {
    const auto& all = subdomain_at(*required(domain, "domain").state, subdomain).boundary();
    auto& number = required(count, "count");
    const std::size_t written = std::min(all.size(), checked_count(capacity, boxes, "boxes"));
    for (std::size_t i = 0; i < written; ++i) boxes[i] = box_of(all[i]);
    number = static_cast<std::int32_t>(all.size());
  });
}

halocline_status halocline_subdomain_update_box(const halocline_domain* domain, int32_t subdomain, int32_t step,
                                                halocline_box* box) {
  return guarded([&] {
    required(box, "box") = box_of(subdomain_at(*required(domain, "domain").state, subdomain).update_box(step));
  });
}

halocline_status halocline_domain_use_tiles(halocline_domain* domain, const int64_t tile[3]) {
  return guarded([&] {
    static_cast<void>(required(tile, "tile"));
    required(domain, "domain").state->domain.use_tiles(vec(tile));
  });
}
