// SPDX-License-Identifier: BSD-3-Clause
#include "prediction_report.hpp"

#include <fmt/core.h>

#include "documents.hpp"
#include "simulation_cases.hpp"
#include "table.hpp"

namespace cli {

namespace {

/// Work alone over the step: 1 where nothing but work takes time.
double efficiency(const PredictedRow& row, double step) { return step > 0 ? row.work / step : 1; }

double nanoseconds_a_cell(const PredictedRow& row, double step) {
  return 1e9 * step / static_cast<double>(row.of.extent.volume());
}

std::int64_t devices_of(const PredictedRow& row) { return row.of.nodes * row.of.devices_per_node; }

Json step_json(const PredictedRow& row, const PredictedStep& step) {
  return {{"exchange_s", step.exchange},
          {"ideal_s", step.times.ideal},
          {"overlapped_s", step.times.overlapped},
          {"in_turn_s", step.times.in_turn},
          {"ideal_ns_per_cell", nanoseconds_a_cell(row, step.times.ideal)},
          {"efficiency", efficiency(row, step.times.ideal)},
          {"overlapped_efficiency", efficiency(row, step.times.overlapped)}};
}

}  // namespace

std::string prediction_table(std::span<const PredictedRow> rows) {
  Table table({"cells", "devices", "work", "exchange", "step", "of work", "exchange", "step", "in turn", "of work"});
  for (const PredictedRow& row : rows) {
    const auto share = [&row](double step) { return fmt::format("{:.0f} %", 100 * efficiency(row, step)); };
    table.row({size_of(row.of.extent), fmt::format("{}", devices_of(row)), seconds_cell(row.work),
               seconds_cell(row.closed.exchange), seconds_cell(row.closed.times.ideal), share(row.closed.times.ideal),
               seconds_cell(row.simulated.exchange), seconds_cell(row.simulated.times.overlapped),
               seconds_cell(row.simulated.times.in_turn), share(row.simulated.times.overlapped)});
  }
  return table.text();
}

std::string prediction_csv(const PredictFlags& flags, std::span<const PredictedRow> rows) {
  std::string csv =
      "study,kernel,cells_x,cells_y,cells_z,nodes,devices,work_s,closed_exchange_s,closed_ideal_s,closed_overlapped_s,"
      "closed_in_turn_s,"
      "simulated_exchange_s,simulated_ideal_s,simulated_overlapped_s,simulated_in_turn_s,slowest,shell_s\n";
  for (const PredictedRow& row : rows) {
    csv += fmt::format("{},{},{},{},{},{},{},{:.6e}", flags.study, flags.kernel.name, row.of.extent.x, row.of.extent.y,
                       row.of.extent.z, row.of.nodes, devices_of(row), row.work);
    for (const PredictedStep* step : {&row.closed, &row.simulated}) {
      csv += fmt::format(",{:.6e},{:.6e},{:.6e},{:.6e}", step->exchange, step->times.ideal, step->times.overlapped,
                         step->times.in_turn);
    }
    csv += fmt::format(",{},{:.6e}\n", row.slowest, row.shell);
  }
  return csv;
}

Json prediction_json(std::span<const PredictedRow> rows) {
  Json list = Json::array();
  for (const PredictedRow& row : rows) {
    list.push_back({{"extent", json_of(row.of.extent)},
                    {"nodes", row.of.nodes},
                    {"devices", devices_of(row)},
                    {"grid", json_of(row.grid)},
                    {"work_s", row.work},
                    {"shell_s", row.shell},
                    {"closed_form", step_json(row, row.closed)},
                    {"simulated", step_json(row, row.simulated)},
                    {"slowest", row.slowest},
                    {"messages", to_string(row.messages)}});
  }
  return list;
}

}  // namespace cli
