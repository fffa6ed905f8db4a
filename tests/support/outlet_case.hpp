// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/halo_case.hpp"

namespace halocline::test {

/// Collective. Steps of a stencil that reads the far ends of its radius in all directions; kernels store cells through
/// remote halo views, in seeded directions in each step. The case defines partition, routes, disturbances and capture;
/// the fields are different. Returns the difference from the same steps without a domain, or "".
[[nodiscard]] std::string run_outlet_case(comm::RankGroup& comm, const HaloCase& halo_case, std::uint64_t seed);

}  // namespace halocline::test
