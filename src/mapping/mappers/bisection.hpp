// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/mappers/rows.hpp"
#include "mapping/refine.hpp"

namespace halocline::mapping::detail {

struct Edge {
  int process;
  std::int64_t weight;
};
/// By process, both ways, ascending; weights are above 0.
using Edges = Rows<Edge>;
/// 0 where there is none.
[[nodiscard]] std::int64_t weight_between(const Edges& edges, int p, int q);

/// Halves places and processes repeatedly, as dual recursive bipartitioning does (Pellegrini and Roman, HPCN 1996).
/// Places with nearby numbers are taken to be near each other. Each half of the places gets the half of the processes
/// that sends least to the other half, the best of several tries that begin with other processes. Time grows with tries
/// times edges times the logarithm of places, memory with edges.
[[nodiscard]] std::vector<int> map_by_bisection(const MappingProblem& problem, const Edges& edges, int tries);

}  // namespace halocline::mapping::detail
