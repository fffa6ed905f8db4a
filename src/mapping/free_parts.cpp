// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "halocline/error.hpp"
#include "mapping/job.hpp"

namespace halocline::mapping {
namespace {

void check_list(const std::vector<int>& list, int size, const std::string& node, const char* what) {
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
    check_list(free[n].cores, core_count(type), node.name, "core");
    check_list(free[n].devices, type.device_count(), node.name, "device");
  }
}

}  // namespace

std::vector<FreeParts> all_free(const machine::MachineMap& machine) {
  std::vector<FreeParts> of_type;
  for (const auto& type : machine.types) {
    FreeParts parts;
    parts.cores.resize(static_cast<std::size_t>(core_count(type)));
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
  std::int64_t devices = 0;
  for (const FreeParts& parts : free) {
    cores += std::ssize(parts.cores);
    devices += std::ssize(parts.devices);
  }
  if (processes > cores) {
    throw InvalidArgument(fmt::format(
        "{} processes on a machine with {} free cores; allowed is one for each core, in \"cores\" of its packages",
        processes, cores));
  }
  const auto with = [&](int sharing) {
    std::vector<int> capacity;
    for (const FreeParts& parts : free) {
      const auto seats = devices == 0 ? std::ssize(parts.cores)
                                      : std::min(std::ssize(parts.cores), sharing * std::ssize(parts.devices));
      capacity.push_back(static_cast<int>(seats));
    }
    return capacity;
  };
  std::vector<int> before;
  for (int sharing = 1;; ++sharing) {
    const std::vector<int> capacity = with(sharing);
    if (std::accumulate(capacity.begin(), capacity.end(), std::int64_t{0}) >= processes) return capacity;
    if (capacity == before) break;
    before = capacity;
  }
  throw InvalidArgument(fmt::format(
      "{} processes, but the nodes with free GPUs have only {} free cores; allowed is one for each of those", processes,
      std::accumulate(before.begin(), before.end(), 0)));
}

}  // namespace halocline::mapping
