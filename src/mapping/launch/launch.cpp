// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/launch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "halocline/error.hpp"
#include "mapping/launch/parts.hpp"

namespace halocline::mapping {
namespace {

bool is_host_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_'; };
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, fits);
}

/// What stands in the wrapper, which is a shell script, as it is.
bool is_device_uuid(const std::string& uuid) {
  return std::ranges::all_of(uuid, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '/'; });
}

/// Maps may come from any source, and the names of their devices go into a script.
void check_devices(const LaunchRequest& request) {
  for (const Seat& seat : request.seats) {
    const auto uuid = detail::uuid_of(request, seat);
    if (!uuid || is_device_uuid(*uuid)) continue;
    throw InvalidArgument(fmt::format("nodes[{}].device_uuids[{}] is '{}'; allowed are letters, digits, '-' and '/'",
                                      seat.node, seat.device, *uuid));
  }
}

/// Checks only nodes that have processes.
void check(const LaunchRequest& request) {
  check_devices(request);
  std::set<int> used;
  for (const Seat& seat : request.seats) used.insert(seat.node);
  std::set<std::string> names;
  for (const int node : used) {
    const std::string& name = request.machine->nodes[static_cast<std::size_t>(node)].name;
    if (!is_host_name(name)) {
      throw InvalidArgument(
          fmt::format("nodes[{}].name is '{}'; allowed is a host name: letters, digits, '-', '.' and '_'", node, name));
    }
    if (!names.insert(name).second) {
      throw InvalidArgument(
          fmt::format("nodes[{}].name is '{}', as another node's is; allowed is a name of its own", node, name));
    }
  }
  if (request.cpu_numbers.empty()) return;
  for (const Seat& seat : request.seats) {
    if (seat.core >= static_cast<int>(request.cpu_numbers.size())) {
      throw InvalidArgument(
          fmt::format("{} processor numbers, but core {} is used; allowed is one for each core of a node",
                      request.cpu_numbers.size(), seat.core));
    }
  }
}

}  // namespace

std::string_view to_string(Launcher launcher) {
  switch (launcher) {
    case Launcher::openmpi_rankfile: return "openmpi-rankfile";
    case Launcher::slurm: return "slurm";
    case Launcher::mpich: return "mpich";
  }
  throw InternalError("a Launcher without a name");
}

Launch make_launch(Launcher launcher, const LaunchRequest& request) {
  check(request);
  Launch launch;
  switch (launcher) {
    case Launcher::openmpi_rankfile: launch = detail::openmpi_launch(request); break;
    case Launcher::slurm: launch = detail::slurm_launch(request); break;
    case Launcher::mpich: launch = detail::hydra_launch(request); break;
  }
  detail::note_devices(request, launch);
  return launch;
}

namespace detail {

std::optional<std::string> uuid_of(const LaunchRequest& request, const Seat& seat) {
  if (seat.device < 0) return std::nullopt;
  const auto& uuids = request.machine->nodes[static_cast<std::size_t>(seat.node)].device_uuids;
  const auto at = static_cast<std::size_t>(seat.device);
  // Host devices have names of another kind.
  const bool known = at < uuids.size() && (uuids[at].starts_with("GPU-") || uuids[at].starts_with("MIG-"));
  return known ? std::optional(uuids[at]) : std::nullopt;
}

const std::string& host_of(const LaunchRequest& request, const Seat& seat) {
  return request.machine->nodes[static_cast<std::size_t>(seat.node)].name;
}

std::optional<std::string> common_processors(const LaunchRequest& request) {
  if (request.cpu_numbers.empty()) return std::nullopt;
  std::map<int, std::string> lists;  // by node
  for (const Seat& seat : request.seats) {
    std::string& list = lists[seat.node];
    list += fmt::format("{}{}", list.empty() ? "" : ",", request.cpu_numbers[static_cast<std::size_t>(seat.core)]);
  }
  const std::string& first = lists.begin()->second;
  if (std::ranges::any_of(lists, [&](const auto& one) { return one.second != first; })) return std::nullopt;
  return first;
}

}  // namespace detail
}  // namespace halocline::mapping
