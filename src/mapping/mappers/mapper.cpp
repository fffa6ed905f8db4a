#include "halocline/mapping/mapper.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

#include "halocline/core/error.hpp"
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

/// Trials between two looks at the clock.
constexpr std::int64_t between_looks = 64;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string_view to_string(Mapper mapper) {
  switch (mapper) {
    case Mapper::in_order: return "default";
    case Mapper::partition: return "partition";
    case Mapper::scotch: return "scotch";
    case Mapper::greedy: return "greedy";
    case Mapper::exact: return "exact";
    case Mapper::craft: return "craft";
    case Mapper::latency: return "latency";
    case Mapper::congestion: return "congestion";
  }
  throw InternalError("a Mapper without a name");
}

std::vector<int> map_processes(Mapper mapper, const MappingProblem& problem, const Effort& effort) {
  check(problem);
  switch (mapper) {
    case Mapper::in_order: return detail::map_in_order(problem);
    case Mapper::partition: return detail::map_partition(problem, effort);
    case Mapper::scotch: return detail::map_scotch(problem);
    case Mapper::greedy: return detail::map_greedy(problem);
    case Mapper::exact: return detail::map_assignment(problem, true);
    case Mapper::craft: return detail::map_assignment(problem, false);
    case Mapper::latency: return detail::map_latency(problem, effort);
    case Mapper::congestion: return detail::map_congestion(problem, effort);
  }
  throw InternalError("a Mapper without a function");
}

std::vector<std::int64_t> channel_loads(const CommunicationMatrix& matrix, const Topology& topology,
                                        const std::vector<int>& place_of) {
  std::vector<std::int64_t> loads(topology.channels().size(), 0);
  std::vector<int> scratch;
  for (int from = 0; from < matrix.ranks(); ++from) {
    for (const Flow& flow : matrix.row(from)) {
      const int a = place_of[static_cast<std::size_t>(from)];
      const int b = place_of[static_cast<std::size_t>(flow.to)];
      for (const int channel : topology.route(a, b, scratch)) loads[static_cast<std::size_t>(channel)] += flow.bytes;
    }
  }
  return loads;
}

std::vector<double> sorted_congestions(const MappingProblem& problem, const std::vector<int>& place_of) {
  const auto loads = channel_loads(*problem.matrix, *problem.topology, place_of);
  std::vector<double> congestions;
  for (std::size_t c = 0; c < loads.size(); ++c) {
    congestions.push_back(static_cast<double>(loads[c]) / problem.topology->channels()[c].bandwidth);
  }
  std::ranges::sort(congestions, std::greater<>{});
  return congestions;
}

namespace detail {

Peers peers_of(const CommunicationMatrix& matrix) {
  Peers peers(static_cast<std::size_t>(matrix.ranks()));
  // By sender: lists of receivers ascend, and so do those of senders at a receiver.
  for (int from = 0; from < matrix.ranks(); ++from) {
    for (const Flow& flow : matrix.row(from)) {
      if (flow.to == from || (flow.bytes == 0 && flow.messages == 0)) continue;
      peers[static_cast<std::size_t>(from)].push_back({flow.to, flow.bytes, 0, flow.messages});
      peers[static_cast<std::size_t>(flow.to)].push_back({from, 0, flow.bytes, flow.messages});
    }
  }
  for (auto& list : peers) {
    std::ranges::stable_sort(list, {}, &Peer::process);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (kept > 0 && list[kept - 1].process == list[i].process) {
        list[kept - 1].sent += list[i].sent;
        list[kept - 1].received += list[i].received;
        list[kept - 1].messages += list[i].messages;
      } else {
        list[kept++] = list[i];
      }
    }
    list.resize(kept);
  }
  return peers;
}

std::vector<int> map_in_order(const MappingProblem& problem) {
  std::vector<int> place_of;
  for (std::size_t p = 0; p < problem.capacity.size(); ++p) {
    for (int i = 0; i < problem.capacity[p] && std::ssize(place_of) < problem.matrix->ranks(); ++i) {
      place_of.push_back(static_cast<int>(p));
    }
  }
  return place_of;
}

Budget::Budget(const Effort& effort) : left_(effort.trials) {
  if (!effort.seconds) return;
  // The first one looks at the clock, too.
  left_ = std::numeric_limits<std::int64_t>::max() / between_looks * between_looks + 1;
  end_ns_ = now_ns() + static_cast<std::int64_t>(*effort.seconds * 1e9);
}

bool Budget::take() {
  if (left_-- <= 0) return false;
  return end_ns_ < 0 || left_ % between_looks != 0 || now_ns() < end_ns_;
}

}  // namespace detail
}  // namespace halocline::mapping
