// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mhd/mhd.hpp"

namespace mhd {

/// A number of substeps that an exchange serves, tried.
struct SubstepTrial {
  int substeps_per_exchange = 1;
  double step = 0;  ///< seconds, the slowest rank's
};

/// How a run updates cells.
struct Updates {
  std::optional<halocline::Element> wire;
  Parameters parameters;
  int order = 6;
  ForcingSettings forcing;
  std::optional<std::string>
      variant;  ///< of the kernels: by name, or "auto", the fastest in trials; unset: the kernels' default
  BoundaryOrder boundary_order = BoundaryOrder::as_ready;
};

/// Times a few steps of length 0 with 1, 2, 3 and 6 substeps an exchange, each on a domain of its own, as long as halos fit into
/// subdomains, and the domain into memory; with a wire format with 1 and 3. Overlap is as in the settings; unset: the faster for each
/// number. A number whose kernels find no memory is left out. The fastest comes first. Collective; the same on all ranks. Throws what Domain and Solver do where 1 is not possible.
template <typename T>
[[nodiscard]] std::vector<SubstepTrial> try_substeps_per_exchange(const halocline::Vec3& extent,
                                                                  const halocline::Stencil& sent,
                                                                  halocline::comm::RankGroup& comm,
                                                                  const halocline::DomainOptions& options,
                                                                  const Updates& updates, const Settings& settings);

}  // namespace mhd
