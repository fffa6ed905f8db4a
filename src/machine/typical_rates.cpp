// SPDX-License-Identifier: BSD-3-Clause
#include "machine/typical_rates.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "machine/nvlink.hpp"

namespace halocline::machine {
namespace {

/// Measured by `halocline machine --measure`: bench/results/2026-11-26-2x-h100-grids/map.json.
std::vector<ExchangeRate> typical_rates() {
  return {
      {HaloPath::local, HaloRows::long_rows, false, 16, 1.288e+12, 0, 5.706e-06},
      {HaloPath::local, HaloRows::long_rows, false, 4, 9.156e+11, 0, 5.706e-06},
      {HaloPath::local, HaloRows::short_rows, false, 16, 5.864e+11, 0, 5.706e-06},
      {HaloPath::local, HaloRows::short_rows, false, 4, 2.717e+11, 0, 5.706e-06},
      {HaloPath::link, HaloRows::long_rows, false, 16, 3.649e+11, 8.563e-06, 8.734e-06},
      {HaloPath::link, HaloRows::long_rows, false, 4, 3.665e+11, 9.313e-06, 8.734e-06},
      {HaloPath::link, HaloRows::short_rows, false, 16, 2.588e+11, 8.945e-06, 8.734e-06},
      {HaloPath::link, HaloRows::short_rows, false, 4, 1.943e+11, 8.696e-06, 8.734e-06},
      {HaloPath::link, HaloRows::packed_rows, false, 4, 4.62e+11, 7.828e-06, 8.734e-06},
      {HaloPath::link, HaloRows::packets, false, 16, 3.933e+11, 5.163e-06, 5.998e-06},
      {HaloPath::local, HaloRows::long_rows, true, 16, 1.283e+12, 7.58e-07, 4.868e-06},
      {HaloPath::local, HaloRows::long_rows, true, 4, 9.277e+11, 1.514e-06, 4.868e-06},
      {HaloPath::local, HaloRows::short_rows, true, 16, 5.786e+11, 0, 4.868e-06},
      {HaloPath::local, HaloRows::short_rows, true, 4, 2.659e+11, 0, 4.868e-06},
      {HaloPath::link, HaloRows::long_rows, true, 16, 3.193e+11, 8.416e-06, 9.041e-06},
      {HaloPath::link, HaloRows::long_rows, true, 4, 2.721e+11, 7.23e-06, 9.041e-06},
      {HaloPath::link, HaloRows::short_rows, true, 16, 2.568e+11, 1.025e-05, 9.041e-06},
      {HaloPath::link, HaloRows::short_rows, true, 4, 1.93e+11, 9.205e-06, 9.041e-06},
      {HaloPath::link, HaloRows::packed_rows, true, 4, 4.023e+11, 8.589e-06, 9.041e-06},
      {HaloPath::link, HaloRows::packets, true, 16, 6.589e+11, 5.902e-06, 5.714e-06},
  };
}

/// Bytes a second and direction of a link of the GPUs that were measured, and how far others' may be from it.
constexpr double measured_link = 450e9;
constexpr double factor = 2;

bool joined(const NodeType& type) {
  const int devices = type.device_count();
  if (devices < 2) return false;
  for (int d = 1; d < devices; ++d) {
    if (!joined_by_nvlink(type, device_id(0), device_id(d))) return false;
  }
  return std::ranges::all_of(type.links, [](const Link& link) {
    return link.kind != LinkKind::nvlink ||
           (link.bandwidth >= measured_link / factor && link.bandwidth <= measured_link * factor);
  });
}

std::vector<bool> types_in_use(const MachineMap& map) {
  std::vector<bool> used(map.types.size(), false);
  for (const NodeEntry& node : map.nodes) used.at(static_cast<std::size_t>(node.type)) = true;
  return used;
}

}  // namespace

bool has_typical_rates(const MachineMap& map) {
  const std::vector<bool> used = types_in_use(map);
  for (std::size_t t = 0; t < map.types.size(); ++t) {
    if (used[t] && (!map.types[t].exchange_rates.empty() || !joined(map.types[t]))) return false;
  }
  return !map.nodes.empty();
}

MachineMap with_typical_rates(MachineMap map) {
  if (!has_typical_rates(map)) return map;
  for (NodeType& type : map.types) type.exchange_rates = typical_rates();
  return map;
}

}  // namespace halocline::machine
