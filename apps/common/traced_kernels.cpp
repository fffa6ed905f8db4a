// SPDX-License-Identifier: BSD-3-Clause
#include "common/traced_kernels.hpp"

#include <fmt/core.h>

namespace apps {

TracedKernels::TracedKernels(const halocline::Domain& domain) : tracer_(internals(domain).tracer()) {
  for (const auto& subdomain : domain.subdomains()) {
    tracks_[&stream_of(subdomain)] = fmt::format("subdomain {}: user's stream", subdomain.id().value());
  }
}

/// Described when it runs for the first time. Streams of parts of a boundary are kept by the domain, and numbered as they come.
std::size_t TracedKernels::operation(Work work, const halocline::Subdomain& subdomain,
                                     const halocline::device::Stream& stream) {
  const auto [found, is_new] = operations_.try_emplace({&stream, work});
  if (is_new) {
    const std::int64_t id = subdomain.id().value();
    const auto track = tracks_.try_emplace(&stream, fmt::format("subdomain {}: stream {}", id, tracks_.size())).first;
    found->second = tracer_->add({.work = work, .device = stream.device(), .track = track->second, .subdomain = id});
  }
  return found->second;
}

}  // namespace apps
