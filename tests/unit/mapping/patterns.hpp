// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mapping/patterns.hpp"

namespace halocline::mapping {

/// A micro-benchmark of the MAGC paper: 64 processes, 1 MiB a message; alltoall has no weights.
inline CommunicationMatrix pattern_matrix(Pattern pattern, bool weighted) {
  return matrix_of(
      {.pattern = pattern, .bytes = std::int64_t{1} << 20, .weighted = weighted && pattern != Pattern::alltoall});
}

}  // namespace halocline::mapping
