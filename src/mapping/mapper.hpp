// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "mapping/refine.hpp"

namespace halocline::mapping {

/// How places are assigned to processes.
///
/// in_order: process after process, place after place.
/// partition: swaps and moves as long as they lower the bytes times hops (after Kernighan and Lin, Bell Syst. Tech. J. 49,
///   1970), from several starts: the order, halves of halves, Scotch's answer where there is one, places filled one after
///   the other with what communicates most with what is there, and the best of these, disturbed. On one switch this is
///   balanced partitioning with the fewest bytes between nodes, what MAGC's first phase comes to.
///   More than 256 places: places and processes are halved again and again instead, and only swaps and moves near a
///   process's peers are tried, so that nothing is quadratic.
/// scotch: the Scotch library, dual recursive bipartitioning (Pellegrini and Roman, HPCN 1996), with a fixed seed.
/// greedy: MAGC's Algorithm 1. The process that comes next is the one with the largest delta, of several the lowest; it
///   gets the place that gives the least maximum congestion, of several the lowest. delta: mean volume with its mapped
///   neighbours minus mean volume with its unmapped ones, a mean over none being 0; volumes are the sum of both directions.
/// congestion: from the best of several starts, swaps and moves as long as they lower congestions, the largest one
///   first, then the next ones: the refinement of PTRAM (Mirsadeghi and Afsahi, HIPS 2016) with all links compared. More
///   than 256 places: without `greedy`, and without `scotch` but on one switch, as they take minutes there.
enum class Mapper : int { in_order, partition, scotch, greedy, congestion };
inline constexpr std::array all_mappers{Mapper::in_order, Mapper::partition, Mapper::scotch, Mapper::greedy,
                                        Mapper::congestion};
/// The names: "default", "partition", ...
[[nodiscard]] std::string_view to_string(Mapper mapper);

/// Returns the place of each process. Throws InvalidArgument if the number of capacities differs from the number of
/// places, or if they do not hold all processes; CapabilityError for `scotch` if it was not built.
[[nodiscard]] std::vector<int> map_processes(Mapper mapper, const MappingProblem& problem, const Effort& effort = {});

/// Whether this build has Scotch.
[[nodiscard]] bool have_scotch();

}  // namespace halocline::mapping
