// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "ceilings/ceilings.hpp"

namespace halocline::bench {

/// Memory that MPI may be given; freed with the last copy.
using Allocate = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

/// Messages between ranks 0 and 1, 2 and 3, ..., all pairs at the same time. Collective.
void measure_pairs(comm::RankGroup& world, Ceilings& ceilings, const std::string& part, const std::string& memory,
                   const Allocate& allocate);

/// The same on device memory, where this build and MPI take it.
[[nodiscard]] std::vector<Part> device_mpi_parts();

}  // namespace halocline::bench
