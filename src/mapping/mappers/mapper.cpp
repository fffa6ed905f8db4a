// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/mapper.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <utility>

#include "halocline/error.hpp"
#include "mapping/mappers/mappers.hpp"

namespace halocline::mapping {
namespace {

void check(const MappingProblem& problem) {
  const auto places = problem.topology->places();
  if (std::ssize(problem.capacity) != places) {
    throw InvalidArgument(
        fmt::format("{} capacities; allowed is {}, one for each place", problem.capacity.size(), places));
  }
  std::int64_t room = 0;
  for (std::size_t p = 0; p < problem.capacity.size(); ++p) {
    if (problem.capacity[p] < 0) {
      throw InvalidArgument(
          fmt::format("the capacity of place {} is {}; allowed is 0 or more", p, problem.capacity[p]));
    }
    room += problem.capacity[p];
  }
  if (room < problem.matrix->ranks()) {
    throw InvalidArgument(fmt::format("{} processes for places that hold {}; allowed is at most that many",
                                      problem.matrix->ranks(), room));
  }
}

}  // namespace

std::string_view to_string(Mapper mapper) {
  switch (mapper) {
    case Mapper::in_order: return "default";
    case Mapper::partition: return "partition";
    case Mapper::scotch: return "scotch";
    case Mapper::greedy: return "greedy";
    case Mapper::congestion: return "congestion";
  }
  throw InternalError("a Mapper without a name");
}

std::vector<int> map_processes(Mapper mapper, const MappingProblem& problem, const Effort& effort) {
  check(problem);
  return detail::map_with(mapper, problem, effort, [&](Mapper one) { return map_processes(one, problem, effort); });
}

namespace detail {

std::vector<int> map_with(Mapper mapper, const MappingProblem& problem, const Effort& effort,
                          const MappedBy& mapped_by) {
  const MappedBy started_by = [&](Mapper one) {
    return one == Mapper::scotch && scotch_is_slow(problem) ? std::vector<int>() : mapped_by(one);
  };
  switch (mapper) {
    case Mapper::in_order: return map_in_order(problem);
    case Mapper::partition: return map_partition(problem, effort, started_by);
    case Mapper::scotch: return map_scotch(problem);
    case Mapper::greedy: return map_greedy(problem);
    case Mapper::congestion: return map_congestion(problem, effort, started_by);
  }
  throw InternalError("a Mapper without a function");
}

}  // namespace detail
}  // namespace halocline::mapping
