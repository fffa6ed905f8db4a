// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/mappers/rows.hpp"

namespace halocline::mapping::detail {

struct Edge {
  int process;
  std::int64_t weight;
};
/// By process, both ways, ascending; weights are above 0.
using Edges = Rows<Edge>;
/// 0 where there is none.
[[nodiscard]] std::int64_t weight_between(const Edges& edges, int p, int q);

/// Halves places and processes again and again, as dual recursive bipartitioning does (Pellegrini and Roman, HPCN 1996): each
/// half of the places, which are taken to be near each other where their numbers are, gets the half of the processes that
/// sends least to the other one. Time grows with edges times the logarithm of places, memory with edges.
[[nodiscard]] std::vector<int> map_by_bisection(const MappingProblem& problem, const Edges& edges);

}  // namespace halocline::mapping::detail
