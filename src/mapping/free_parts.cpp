// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/at.hpp"
#include "halocline/error.hpp"
#include "mapping/job.hpp"
#include "mapping/topology.hpp"

namespace halocline::mapping {
namespace {

void check_list(const std::vector<int>& list, std::int64_t size, const std::string& node, const char* what) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 0 || list[i] >= size) {
      throw InvalidArgument(
          size == 0 ? fmt::format("{} {} of node '{}' is free; allowed is none, it has 0", what, list[i], node)
                    : fmt::format("{} {} of node '{}' is free; allowed is 0 to {}", what, list[i], node, size - 1));
    }
    if (i > 0 && list[i] <= list[i - 1]) {
      throw InvalidArgument(
          fmt::format("{} {} of node '{}' follows {}; allowed is an ascending list", what, list[i], node, list[i - 1]));
    }
  }
}

void check(const machine::MachineMap& machine, const std::vector<FreeParts>& free) {
  if (free.size() != machine.nodes.size()) {
    throw InvalidArgument(
        fmt::format("free parts of {} nodes; allowed is {}, one for each node", free.size(), machine.nodes.size()));
  }
  for (std::size_t n = 0; n < free.size(); ++n) {
    const auto& node = machine.nodes[n];
    const auto& type = machine.types[static_cast<std::size_t>(node.type)];
    check_list(free[n].cores, type.core_count(), node.name, "core");
    check_list(free[n].devices, type.device_count(), node.name, "device");
  }
}

std::int64_t cores_with_gpus(const std::vector<FreeParts>& free) {
  std::int64_t cores = 0;
  for (const FreeParts& parts : free) cores += parts.devices.empty() ? 0 : std::ssize(parts.cores);
  return cores;
}

/// Nodes from the one that takes the most processes on, of equal ones by number.
std::vector<int> largest_first(const std::vector<int>& capacity) {
  std::vector<int> nodes(capacity.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  std::ranges::stable_sort(nodes, std::ranges::greater{}, [&](int node) { return capacity[at(node)]; });
  return nodes;
}

/// How many of them hold the job; all and one more if it does not fit.
std::int64_t nodes_needed(const std::vector<int>& capacity, int processes) {
  std::int64_t room = 0;
  std::int64_t needed = 0;
  for (const int node : largest_first(capacity)) {
    if (room >= processes) break;
    room += capacity[at(node)];
    ++needed;
  }
  return room >= processes ? needed : needed + 1;
}

/// The capacities with the fewest processes for each GPU with which `nodes` nodes hold the job.
std::optional<std::vector<int>> fewest_sharing(const std::vector<FreeParts>& free, int processes, std::int64_t nodes) {
  const bool any_device = std::ranges::any_of(free, [](const FreeParts& parts) { return !parts.devices.empty(); });
  std::vector<int> before;
  for (int sharing = 1;; ++sharing) {
    std::vector<int> capacity;
    for (const FreeParts& parts : free) {
      const auto seats =
          any_device ? std::min(std::ssize(parts.cores), sharing * std::ssize(parts.devices)) : std::ssize(parts.cores);
      capacity.push_back(static_cast<int>(seats));
    }
    if (nodes_needed(capacity, processes) <= nodes) return capacity;
    if (capacity == before) return std::nullopt;
    before = std::move(capacity);
  }
}

/// Of all rows of `count` nodes by number, leaving out those that take nothing, the first one with the fewest channels
/// between neighbours that holds the job. If none does, the nodes that take the most.
std::vector<int> nodes_near_each_other(const machine::MachineMap& machine, const std::vector<int>& capacity,
                                       int processes, std::int64_t count) {
  std::vector<int> usable;
  for (int node = 0; node < static_cast<int>(capacity.size()); ++node) {
    if (capacity[at(node)] > 0) usable.push_back(node);
  }
  std::vector<int> best = largest_first(capacity);
  best.resize(at(count));
  if (count >= std::ssize(usable)) return usable;
  const Topology network = network_topology(machine);
  std::vector<std::int64_t> hops{0};  // from the first usable node to each one, neighbour by neighbour
  std::vector<std::int64_t> room{0};
  for (std::size_t i = 0; i < usable.size(); ++i) {
    room.push_back(room.back() + capacity[at(usable[i])]);
    if (i > 0) hops.push_back(hops.back() + network.hops(usable[i - 1], usable[i]));
  }
  std::optional<std::int64_t> fewest;
  for (std::size_t first = 0; first + at(count) <= usable.size(); ++first) {
    const std::size_t end = first + at(count);
    if (room[end] - room[first] < processes) continue;
    const std::int64_t apart = hops[end - 1] - hops[first];
    if (fewest && apart >= *fewest) continue;
    fewest = apart;
    const auto from = usable.begin() + static_cast<std::ptrdiff_t>(first);
    best.assign(from, from + count);
  }
  return best;
}

}  // namespace

std::vector<FreeParts> parts_for(const JobRequest& request) {
  std::vector<FreeParts> free = request.free.empty() ? all_free(*request.machine) : request.free;
  if (request.spread) return free;
  const int processes = (request.cpu != nullptr ? request.cpu : request.gpu)->ranks();
  std::vector<int> capacity = node_capacities(*request.machine, free, processes);
  const std::int64_t count =
      request.nodes ? std::min<std::int64_t>(*request.nodes, std::ssize(free)) : nodes_needed(capacity, processes);
  if (request.nodes) {
    const auto shared = fewest_sharing(free, processes, count);
    if (!shared) {
      std::int64_t enough = count + 1;
      while (!fewest_sharing(free, processes, enough)) ++enough;
      throw InvalidArgument(
          fmt::format("{} processes on {} node{}, with too few free cores for them; allowed is {} or more", processes,
                      count, count == 1 ? "" : "s", enough));
    }
    capacity = *shared;
  }
  const std::vector<int> chosen = nodes_near_each_other(*request.machine, capacity, processes, count);
  for (int node = 0; node < static_cast<int>(free.size()); ++node) {
    if (std::ranges::find(chosen, node) == chosen.end()) free[at(node)] = {};
  }
  return free;
}

std::vector<FreeParts> all_free(const machine::MachineMap& machine) {
  std::vector<FreeParts> of_type;
  for (const auto& type : machine.types) {
    FreeParts parts;
    parts.cores.resize(static_cast<std::size_t>(type.core_count()));
    parts.devices.resize(static_cast<std::size_t>(type.device_count()));
    std::iota(parts.cores.begin(), parts.cores.end(), 0);
    std::iota(parts.devices.begin(), parts.devices.end(), 0);
    of_type.push_back(std::move(parts));
  }
  std::vector<FreeParts> free;
  for (const auto& node : machine.nodes) free.push_back(of_type.at(static_cast<std::size_t>(node.type)));
  return free;
}

std::vector<int> node_capacities(const machine::MachineMap& machine, const std::vector<FreeParts>& free,
                                 int processes) {
  check(machine, free);
  std::int64_t cores = 0;
  for (const FreeParts& parts : free) cores += std::ssize(parts.cores);
  if (processes > cores) {
    throw InvalidArgument(fmt::format(
        "{} processes on a machine with {} free cores; allowed is one for each core, in \"cores\" of its packages",
        processes, cores));
  }
  if (const auto capacity = fewest_sharing(free, processes, std::ssize(free))) return *capacity;
  throw InvalidArgument(fmt::format(
      "{} processes, but the nodes with free GPUs have only {} free cores; allowed is one for each of those", processes,
      cores_with_gpus(free)));
}

}  // namespace halocline::mapping
