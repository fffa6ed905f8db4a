// SPDX-License-Identifier: BSD-3-Clause
// `halocline run mhd --study`: the paper's series of measurements, a row a case.
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/documents.hpp"
#include "cli/outputs.hpp"
#include "cli/planning.hpp"
#include "cli/table.hpp"
#include "mhd/command_options.hpp"

namespace apps {

using namespace cli;
using namespace halocline;

namespace {

using Rows = std::vector<mhd::StudyRow>;

double of_cell(const mhd::StudyRow& row, double seconds) { return mhd::nanoseconds_a_cell(seconds, row.of.size); }

std::string percent(const std::optional<double>& part) { return part ? fmt::format("{:.1f} %", 100 * *part) : "-"; }

std::string watts_text(const machine::Power& power) {
  return power.source == machine::PowerSource::none ? "-" : fmt::format("{:.0f}", power.watts);
}

/// Marks the row that ran on the processor's cores if the other rows ran on devices of another kind.
std::string device_text(const mhd::StudyRow& row) { return row.of.host ? "host" : fmt::format("{}", row.of.devices); }

/// Two tables with a row for each case: the step compared with the model, and the parts of the step.
std::string table_text(const Rows& rows) {
  Table steps({"size", "devices", "grid", "order", "corners", "ns a cell", "model", "of model", "of 1 device"});
  Table parts({"size", "devices", "compute", "exchange", "sync", "W", "power", "updates/s/W"});
  for (const auto& row : rows) {
    const auto updates = mhd::updates_a_second_a_watt(row);
    steps.row({to_string(row.of.size), device_text(row), row.grid, fmt::format("{}", row.of.order),
               row.of.corners ? "sent" : "-", fmt::format("{:.4g}", of_cell(row, row.step)),
               fmt::format("{:.4g}", of_cell(row, row.prediction.step)), percent(mhd::efficiency_of_model(row)),
               percent(mhd::efficiency_of_scaling(row, rows))});
    parts.row({to_string(row.of.size), device_text(row), seconds_cell(row.parts.compute),
               seconds_cell(row.parts.exchange), seconds_cell(row.parts.synchronisation), watts_text(row.power),
               std::string(to_string(row.power.source)), updates ? count_text(*updates) : "-"});
  }
  return steps.text() + "\n" + parts.text();
}

/// What the columns are, and why power is not known better.
std::string notes_text(const Rows& rows) {
  std::string text =
      "\nns a cell: median step of three substeps, over all cells\n"
      "model: the longer of computation, at the rate of the series' first row, and exchange\n"
      "compute, exchange, sync: of a step, each alone; sync is a wait for all devices and ranks after each substep, "
      "which a step does not hold\n";
  for (const auto& row : rows) {
    if (row.of.host)
      text +=
          "host: this program's own code for processors, on all cores of the first rank's node; at most 128 cells a "
          "side\n";
  }
  for (const auto& row : rows) {
    if (row.of.host || row.power.why_not.empty()) continue;
    return text + fmt::format("power: {}: {}\n", to_string(row.power.source), row.power.why_not);
  }
  return text;
}

Json row_json(const mhd::StudyRow& row, const Rows& rows) {
  const auto& of = row.of;
  Json json{{"size", json_of(of.size)},
            {"devices", of.devices},
            {"ranks", row.ranks},
            {"backend", row.backend},
            {"kind", of.host ? "cores" : "devices"},
            {"grid", row.grid},
            {"order", of.order},
            {"corners", of.corners},
            {"overlap", row.overlapped},
            {"warm_up", of.warm_up},
            {"steps", of.steps},
            {"step_s", {{"p50", row.step}, {"min", row.fastest}, {"max", row.slowest}}},
            {"ns_per_cell", of_cell(row, row.step)},
            {"model_ns_per_cell", of_cell(row, row.prediction.step)},
            {"update_s_per_cell", row.prediction.seconds_per_update},
            {"exchange_s_per_cell", row.prediction.seconds_per_cell},
            {"efficiency_of_model", mhd::efficiency_of_model(row)},
            {"compute_s", row.parts.compute},
            {"exchange_s", row.parts.exchange},
            {"synchronisation_s", row.parts.synchronisation},
            {"power_source", to_string(row.power.source)}};
  if (const auto scaling = mhd::efficiency_of_scaling(row, rows)) json["efficiency_of_scaling"] = *scaling;
  if (row.power.source != machine::PowerSource::none) json["watts"] = row.power.watts;
  if (!row.power.why_not.empty()) json["power_why_not"] = row.power.why_not;
  if (const auto updates = mhd::updates_a_second_a_watt(row)) json["updates_per_s_per_w"] = *updates;
  return json;
}

std::string csv_text(std::string_view study, const char* precision, const Rows& rows) {
  std::string csv =
      "study,series,kind,x,y,z,devices,ranks,backend,grid,order,precision,corners,overlap,warm_up,steps,step_s,"
      "step_min_s,step_max_s,ns_per_cell,model_ns_per_cell,efficiency_of_model,efficiency_of_scaling,compute_s,"
      "exchange_s,synchronisation_s,watts,power_source,updates_per_s_per_w\n";
  const auto text = [](const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; };
  for (const auto& row : rows) {
    const auto& of = row.of;
    const bool known = row.power.source != machine::PowerSource::none;
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:d},{:d},{},{},", study, of.series,
                       of.host ? "cores" : "devices", of.size.x, of.size.y, of.size.z, of.devices, row.ranks,
                       row.backend, row.grid, of.order, precision, of.corners, row.overlapped, of.warm_up, of.steps);
    csv += fmt::format("{:.9f},{:.9f},{:.9f},{:.6g},{:.6g},{:.6g},{},{:.9f},{:.9f},{:.9f},{},{},{}\n", row.step,
                       row.fastest, row.slowest, of_cell(row, row.step), of_cell(row, row.prediction.step),
                       mhd::efficiency_of_model(row), text(mhd::efficiency_of_scaling(row, rows)), row.parts.compute,
                       row.parts.exchange, row.parts.synchronisation, known ? text(row.power.watts) : "",
                       to_string(row.power.source), text(mhd::updates_a_second_a_watt(row)));
  }
  return csv;
}

Rows run(Context& context, const mhd::Study& study, bool singles) {
  std::size_t shown = 0;
  const auto done = [&](const Rows& rows) {
    for (; shown < rows.size() && context.options.progress != ProgressStyle::off; ++shown) {
      const auto& row = rows[shown];
      fmt::print(stderr, "mhd: {} on {} ({}), order {}: {:.4g} ns a cell\n", to_string(row.of.size),
                 plural(row.of.devices, "device"), row.backend, row.of.order, of_cell(row, row.step));
    }
  };
  return singles ? mhd::run_study<float>(context.world, study, done)
                 : mhd::run_study<double>(context.world, study, done);
}

}  // namespace

int run_mhd_study(Context& context, const MhdOptions& own) {
  mhd::Study study = study_of(own, context.options);
  complete(own.communication, context.options, study.settings);
  study.options = domain_options(context);
  if (!own.halo_in_x) study.options.boundaries = mhd::boundaries;
  // Found out before the work, not after it.
  const auto name = mhd::study_names[static_cast<std::size_t>(study.kind)];
  const char* precision = own.singles ? "f32" : "f64";
  if (own.csv) check_output(context, "--csv", *own.csv);
  const Rows rows = run(context, study, own.singles);
  if (own.csv) write_output(context, "--csv", *own.csv, csv_text(name, precision, rows));

  context.print_text(fmt::format("{}, {}\n", name, precision) + table_text(rows) + notes_text(rows));
  Json document = document_of("run mhd");
  document["study"] = name;
  document["precision"] = precision;
  document["paper"] = study.paper;
  document["dt"] = *study.settings.dt;
  document["graph"] = study.settings.graph;
  document["rows"] = Json::array();
  for (const auto& row : rows) document["rows"].push_back(row_json(row, rows));
  context.print_document(document);
  return 0;
}

}  // namespace apps
