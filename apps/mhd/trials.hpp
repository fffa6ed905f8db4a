// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mhd/mhd.hpp"

namespace mhd {

/// A number of substeps that an exchange serves, tried.
struct SubstepTrial {
  int substeps_per_exchange = 1;
  double step = 0;  ///< seconds, the slowest rank's
};

/// Times a few steps of length 0 with 1, 2, 3 and 6 substeps an exchange, each on a domain of its own, as long as halos fit into
/// subdomains, and the domain into memory; with a wire format with 1 and 3. Overlap is as in the settings; unset: the faster for each
/// number. The fastest comes first. Collective; the same on all ranks. Throws what Domain and Solver do where 1 is not possible.
template <typename T>
[[nodiscard]] std::vector<SubstepTrial> try_substeps_per_exchange(
    const halocline::Vec3& extent, const halocline::Stencil& sent, halocline::comm::RankGroup& comm,
    const halocline::DomainOptions& options, std::optional<halocline::Element> wire, const Parameters& parameters,
    int order, const Settings& settings);

}  // namespace mhd
