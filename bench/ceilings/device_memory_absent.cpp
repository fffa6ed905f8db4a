// SPDX-License-Identifier: BSD-3-Clause
#include "ceilings/mpi_pairs.hpp"

namespace halocline::bench {

std::vector<Part> device_mpi_parts() { return {}; }

}  // namespace halocline::bench
