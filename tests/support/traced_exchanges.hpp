// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/tracer.hpp"
#include "domain/internals.hpp"
#include "halocline/domain.hpp"

namespace halocline::test {

/// What the tracer of a realized domain (InternalOptions::trace) records of so many exchanges.
inline device::Trace traced_exchanges(Domain& domain, std::uint64_t steps) {
  device::Tracer& tracer = *internals(domain).tracer();
  tracer.start();
  for (std::uint64_t i = 0; i < steps; ++i) domain.exchange();
  domain.synchronize();
  tracer.stop();
  return tracer.take();
}

}  // namespace halocline::test
