// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"
#include "mapping/mappers/mappers.hpp"

namespace halocline::mapping {

std::vector<int> detail::map_scotch(const MappingProblem&) {
  throw CapabilityError("the mapper scotch is not in this build; install libscotch-dev and set HALOCLINE_SCOTCH=ON");
}

bool detail::scotch_is_slow(const MappingProblem&) { return true; }

bool have_scotch() { return false; }

}  // namespace halocline::mapping
