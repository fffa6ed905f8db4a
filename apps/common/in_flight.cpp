// SPDX-License-Identifier: BSD-3-Clause
#include "common/in_flight.hpp"
#include "domain/internals.hpp"

#include <algorithm>

#include "comm/agree.hpp"
#include "halocline/error.hpp"

namespace apps {

InFlight::InFlight(halocline::Domain& domain) : domain_(domain) {
  for (auto& marks : marks_) {
    for (const auto& subdomain : domain.subdomains()) {
      marks.push_back(internals(domain).backend().create_event(subdomain.device()));
    }
  }
}

void InFlight::wait() {
  auto& now = marks_[calls_++ % 2];
  const auto subdomains = domain_.subdomains();
  for (std::size_t i = 0; i < subdomains.size(); ++i) stream_of(subdomains[i]).record(*now[i]);
  const auto& before = marks_[calls_ % 2];
  const auto reached = [](const auto& mark) { return mark->query(); };
  try {
    // No deadline: steps may take any time, and waits for other ranks have their own deadlines.
    internals(domain_).backend().wait_until([&] { return std::all_of(before.begin(), before.end(), reached); }, {});
  } catch (const halocline::Error&) {
    domain_.synchronize();  // throws the same, and tells the other ranks
    throw;
  }
}

}  // namespace apps
