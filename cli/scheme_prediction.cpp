// SPDX-License-Identifier: BSD-3-Clause
#include "scheme_prediction.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "table.hpp"

namespace cli {

using namespace halocline;
using model::SlabScheme;

std::vector<SchemeRow> predict_schemes(const PredictFlags& flags, const machine::MachineMap& map) {
  const std::int64_t all = map.devices_of(node_id(0));
  if (all < 2)
    throw InvalidArgument(fmt::format("a node has {}; --study schemes needs 2 or more", plural(all, "device")));
  std::vector<int> counts;
  for (std::int64_t count = 2; count < all; count *= 2) counts.push_back(static_cast<int>(count));
  counts.push_back(static_cast<int>(all));
  std::vector<SchemeRow> rows;
  for (const std::int64_t size : flags.sizes) {
    for (const int devices : counts) {
      const model::SlabStep step{.extent = Vec3::filled(size),
                                 .devices = devices,
                                 .cell_bytes = sizeof(double),
                                 .seconds_per_cell = seconds_per_update(flags, map),
                                 .copy_engines = flags.copy_engines,
                                 .synchronise = flags.synchronise};
      const double base = simulate_slab_step(map, step, SlabScheme::left_right_mpi);
      for (const SlabScheme scheme : model::all_slab_schemes) {
        const double seconds = scheme == SlabScheme::left_right_mpi ? base : simulate_slab_step(map, step, scheme);
        const double operations = flags.kernel.cost.flops * static_cast<double>(step.extent.volume());
        rows.push_back({size, devices, scheme, seconds, operations / seconds * 1e-9, base / seconds});
      }
    }
  }
  return rows;
}

std::string scheme_table(std::span<const SchemeRow> rows) {
  Table table({"cells", "devices", "scheme", "step", "GFLOP/s", "/ left-right+mpi"});
  for (const SchemeRow& row : rows) {
    table.row({fmt::format("{}^3", row.size), fmt::format("{}", row.devices), std::string(to_string(row.scheme)),
               seconds_cell(row.step), fmt::format("{:.2f}", row.gflops),
               fmt::format("{:.2f}", row.over_left_right_mpi)});
  }
  return table.text();
}

std::string scheme_csv(std::span<const SchemeRow> rows) {
  std::string csv = "study,cells,devices,scheme,step_s,gflops,over_left_right_mpi\n";
  for (const SchemeRow& row : rows) {
    csv += fmt::format("schemes,{},{},{},{:.6e},{:.4f},{:.4f}\n", row.size, row.devices, to_string(row.scheme),
                       row.step, row.gflops, row.over_left_right_mpi);
  }
  return csv;
}

Json scheme_json(std::span<const SchemeRow> rows) {
  Json list = Json::array();
  for (const SchemeRow& row : rows) {
    list.push_back({{"cells", row.size},
                    {"devices", row.devices},
                    {"scheme", to_string(row.scheme)},
                    {"step_s", row.step},
                    {"gflops", row.gflops},
                    {"over_left_right_mpi", row.over_left_right_mpi}});
  }
  return list;
}

}  // namespace cli
