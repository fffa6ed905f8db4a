// SPDX-License-Identifier: BSD-3-Clause
#include "simulation_cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cli {

using namespace halocline;

namespace {

const StudyConfig remote{"+remote", ""};
const StudyConfig colocated{"+colo", "ipc_copy"};
const StudyConfig peer{"+peer", "peer_copy,ipc_copy"};
const StudyConfig own{"+self", "self,peer_copy,ipc_copy"};
const StudyConfig fused{"+direct", "self,direct,peer_copy,ipc_copy"};

/// Of weak scaling by Pearson et al.: about 750 cubed for each device, and a cube in all.
Vec3 weak_cube(std::int64_t devices) {
  return Vec3::filled(std::llround(750 * std::cbrt(static_cast<double>(devices))));
}

/// The box of their figure 11, whose six subdomains are as far from cubes as six devices make them.
constexpr Vec3 uneven{1440, 1452, 700};
/// The side of their strong scaling.
constexpr std::int64_t strong_side = 1363;

std::int64_t ranks_per_node_of(const machine::MachineMap& map) {
  return std::max<std::int64_t>(1, std::ssize(map.ranks) / std::ssize(map.nodes));
}

std::vector<StudyRow> ladder_rows(std::int64_t devices) {
  std::vector<StudyRow> rows;
  for (const bool device_mpi : {false, true}) {
    for (std::int64_t ranks = 1; ranks <= devices; ++ranks) {
      if (devices % ranks == 0) rows.push_back({1, ranks, weak_cube(devices), device_mpi});
    }
  }
  return rows;
}

}  // namespace

std::string transports_of(const StudyRow& row, const StudyConfig& config) {
  const std::string mpi = row.device_mpi ? "mpi_device" : "mpi_staged";
  return config.shortcuts.empty() ? mpi : config.shortcuts + "," + mpi;
}

std::string size_of(const Vec3& extent) {
  if (extent.x == extent.y && extent.y == extent.z) return fmt::format("{}", extent.x);
  return fmt::format("{}x{}x{}", extent.x, extent.y, extent.z);
}

std::string label_of(const StudyRow& row, std::int64_t devices_per_node) {
  return fmt::format("{}n/{}r/{}g/{}{}", row.nodes, row.ranks_per_node, devices_per_node, size_of(row.extent),
                     row.device_mpi ? "/ca" : "");
}

std::vector<StudyConfig> study_configs(const std::string& study) {
  if (study == "ladder" || study == "specialisation") return {remote, colocated, peer, own, fused};
  if (study == "placement") {
    return {{"trivial +self", own.shortcuts, placement::Method::trivial},
            {"node-aware +self", own.shortcuts, placement::Method::automatic}};
  }
  return {remote, own};
}

std::vector<StudyRow> study_rows(const std::string& study, const machine::MachineMap& map) {
  const std::int64_t devices = map.devices_of(node_id(0));
  if (study == "ladder") return ladder_rows(devices);
  const std::int64_t ranks = ranks_per_node_of(map);
  const std::int64_t most = std::ssize(map.nodes);
  std::vector<StudyRow> rows;
  if (study == "placement") rows.push_back({1, ranks, uneven});
  for (const bool device_mpi : {false, true}) {
    if (device_mpi && study != "weak") break;
    for (std::int64_t nodes = 1;; nodes = std::min(2 * nodes, most)) {
      const Vec3 cube = study == "strong" ? Vec3::filled(strong_side) : weak_cube(nodes * devices);
      rows.push_back({nodes, ranks, cube, device_mpi});
      if (nodes == most) break;
    }
  }
  return rows;
}

}  // namespace cli
