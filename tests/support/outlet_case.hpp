// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/halo_case.hpp"

namespace halocline::test {

/// Collective. Some steps of a stencil that reads the far ends of its radius in all directions, whose kernels store cells
/// through outlets, in each step towards other directions, seeded. Of the case it takes how the domain is cut, routed, disturbed
/// and captured; fields are its own. Returns what differs from the same steps without a domain, or "".
[[nodiscard]] std::string run_outlet_case(comm::RankGroup& comm, const HaloCase& halo_case, std::uint64_t seed);

}  // namespace halocline::test
