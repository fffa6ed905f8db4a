// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "halocline/error.hpp"
#include "machine/paths.hpp"
#include "machine/rates.hpp"

namespace halocline::machine {
namespace {

/// Returns the rate of the links on the path of a measurement; 0 if the links do not give one.
double nominal_bandwidth(const NodeType& type, const std::vector<int>& devices, const std::vector<Path>& paths,
                         const Measurement& m) {
  const auto vertex = [&](int device) { return devices.at(static_cast<std::size_t>(device)); };
  if (m.method == "copy" && m.from != Measurement::host && m.to != Measurement::host) {
    const auto at = static_cast<std::size_t>(m.from) * devices.size() + static_cast<std::size_t>(m.to);
    return paths.at(at).bandwidth;
  }
  if (m.method == "pinned" && m.numa != -1) {
    return link_path(type, vertex(m.from == Measurement::host ? m.to : m.from), m.numa).bandwidth;
  }
  return 0;
}

}  // namespace

std::vector<SlowPath> slow_paths(const MachineMap& map, double tolerance) {
  std::vector<SlowPath> all;
  for (std::size_t t = 0; t < map.types.size(); ++t) {
    NodeType links_only = map.types[t];
    links_only.measurements.clear();
    const std::vector<int> devices = links_only.device_vertices();
    const std::vector<Path> paths = best_paths(links_only);
    for (const Measurement& m : map.types[t].measurements) {
      if (m.traffic != Traffic::one_way) continue;
      const double nominal = nominal_bandwidth(links_only, devices, paths, m);
      if (nominal <= 0 || !std::isfinite(nominal)) continue;
      if (m.bandwidth >= (1 - tolerance) * nominal) continue;
      all.push_back({static_cast<int>(t), m.from, m.to, m.method, m.numa, m.bandwidth, nominal});
    }
  }
  return all;
}

std::optional<std::string_view> method_of_transport(std::string_view transport) {
  struct Entry {
    std::string_view transport;
    std::string_view method;
  };
  constexpr std::array<Entry, 6> entries{{{"self", "copy"},
                                          {"direct", "put"},
                                          {"peer_copy", "copy"},
                                          {"ipc_copy", "copy"},
                                          {"mpi_device", "mpi_device"},
                                          {"mpi_staged", "mpi_staged"}}};
  for (const Entry& entry : entries) {
    if (entry.transport == transport) return entry.method;
  }
  return std::nullopt;
}

std::optional<double> transport_rate(const NodeType& type, device_id from, device_id to, std::string_view transport) {
  const auto method = method_of_transport(transport);
  if (!method) return std::nullopt;
  const Traffic traffic = from == to ? Traffic::one_way : Traffic::two_way;
  const Measurement* const found =
      find_measurement(type, static_cast<int>(from.value()), static_cast<int>(to.value()), *method, traffic);
  if (found == nullptr) return std::nullopt;
  return found->bandwidth;
}

}  // namespace halocline::machine
