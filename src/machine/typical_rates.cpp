// SPDX-License-Identifier: BSD-3-Clause
#include "machine/typical_rates.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "machine/nvlink.hpp"

namespace halocline::machine {
namespace {

/// Measured by `halocline machine --measure`: bench/results/2026-11-30-2x-h200-predictions/map.json.
std::vector<ExchangeRate> typical_rates() {
  return {
      {HaloPath::local, HaloRows::long_rows, false, 16, 1.725e+12, 1.47e-06, 6.419e-06},
      {HaloPath::local, HaloRows::long_rows, false, 4, 1.288e+12, 3.591e-07, 6.419e-06},
      {HaloPath::local, HaloRows::short_rows, false, 16, 7.189e+11, 0, 6.419e-06},
      {HaloPath::local, HaloRows::short_rows, false, 4, 4.037e+11, 0, 6.419e-06},
      {HaloPath::link, HaloRows::long_rows, false, 16, 3.654e+11, 7.467e-06, 8.156e-06},
      {HaloPath::link, HaloRows::long_rows, false, 4, 3.629e+11, 7.898e-06, 8.156e-06},
      {HaloPath::link, HaloRows::short_rows, false, 16, 5.193e+11, 8.782e-06, 8.156e-06},
      {HaloPath::link, HaloRows::short_rows, false, 4, 1.905e+11, 7.543e-06, 8.156e-06},
      {HaloPath::link, HaloRows::packed_rows, false, 4, 6.127e+11, 6.237e-06, 8.156e-06},
      {HaloPath::link, HaloRows::packets, false, 16, 1.845e+12, 6.617e-06, 5.952e-06},
      {HaloPath::link, HaloRows::packets, false, 4, 4.385e+11, 6.781e-06, 5.952e-06},
      {HaloPath::local, HaloRows::long_rows, true, 16, 1.707e+12, 2.349e-06, 6.091e-06},
      {HaloPath::local, HaloRows::long_rows, true, 4, 1.244e+12, 1.689e-06, 6.091e-06},
      {HaloPath::local, HaloRows::short_rows, true, 16, 7.125e+11, 0, 6.091e-06},
      {HaloPath::local, HaloRows::short_rows, true, 4, 3.878e+11, 0, 6.091e-06},
      {HaloPath::link, HaloRows::long_rows, true, 16, 3.112e+11, 6.82e-06, 7.781e-06},
      {HaloPath::link, HaloRows::long_rows, true, 4, 3.239e+11, 7.775e-06, 7.781e-06},
      {HaloPath::link, HaloRows::short_rows, true, 16, 5.03e+11, 9.025e-06, 7.781e-06},
      {HaloPath::link, HaloRows::short_rows, true, 4, 2.218e+11, 7.818e-06, 7.781e-06},
      {HaloPath::link, HaloRows::packed_rows, true, 4, 5.463e+11, 7.941e-06, 7.781e-06},
      {HaloPath::link, HaloRows::packets, true, 16, 3.647e+11, 6.154e-06, 6.426e-06},
      {HaloPath::link, HaloRows::packets, true, 4, 3.372e+11, 6.394e-06, 6.426e-06},
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
