// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "commands/commands.hpp"
#include "core/limits.hpp"
#include "documents.hpp"
#include "planning.hpp"
#include "prediction_report.hpp"
#include "scheme_prediction.hpp"
#include "software_options.hpp"

namespace cli {
namespace {

using namespace halocline;

constexpr double nano = 1e-9;
constexpr double micro = 1e-6;
constexpr std::int64_t most_side = 1'000'000;

int print_schemes(Context& context, const PredictFlags& flags, const machine::MachineMap& map) {
  const std::vector<SchemeRow> rows = predict_schemes(flags, map);
  Json document = document_of("predict");
  document["kernel"] = flags.kernel.name;
  document["machine"] = machine_summary(map);
  document["software"] = software_json(map.software);
  document["copy_engines"] = flags.copy_engines;
  document["synchronise_s"] = flags.synchronise;
  document["rows"] = scheme_json(rows);
  context.print_document(document);
  if (flags.csv) {
    context.print_lines(scheme_csv(rows));
  } else {
    context.print_text(fmt::format("one step of {} in slabs on a node of {}, simulated by scheme\n\n{}",
                                   flags.kernel.name, map.name, scheme_table(rows)));
  }
  return 0;
}

/// Such as "; an exchange serves 3 updates". A step has flags.kernel.exchanges updates.
std::string served_text(const PredictFlags& flags, int updates) {
  if (updates == 1) return {};
  return fmt::format("; an exchange serves {} {}", updates, flags.kernel.exchanges > 1 ? "substeps" : "steps");
}

int run_predict(Context& context, PredictFlags flags) {
  PlanRequest request = plan_request_of(context);
  flags.messages = context.options.messages.value_or(flags.messages);
  if (!context.root()) return 0;
  flags.software.apply(request.machine);
  if (flags.study == "schemes") return print_schemes(context, flags, request.machine);
  std::vector<PredictCase> cases;
  if (flags.study.empty()) {
    cases.push_back({std::ssize(request.machine.nodes), request.machine.devices_of(node_id(0)), request.extent});
  } else {
    cases = predict_cases(flags, request.machine);
  }
  std::vector<PredictedRow> rows;
  for (const PredictCase& one : cases) rows.push_back(predict_case(request, flags, one));

  Json document = document_of("predict");
  document["kernel"] = flags.kernel.name;
  document["exchanges_per_step"] = static_cast<double>(flags.kernel.exchanges) / request.steps_per_exchange;
  document["messages"] = to_string(flags.messages);
  document["machine"] = machine_summary(request.machine);
  document["software"] = software_json(request.machine.software);
  document["level"] = flags.level_of_nodes ? "node" : "device";
  document["rows"] = prediction_json(rows);
  context.print_document(document);
  if (flags.csv) {
    context.print_lines(prediction_csv(flags, rows));
  } else {
    context.print_text(fmt::format(
        "one step of {} on {}{}; routes are assumed\n"
        "columns 4 to 6: closed form, overlapped ideally; 7 to 10: simulated, the outer cells after the exchange\n\n{}",
        flags.kernel.name, request.machine.name, served_text(flags, request.steps_per_exchange),
        prediction_table(rows)));
  }
  return 0;
}

/// What --study schemes has no use for: it cuts slabs, has transports of its own and no closed form.
constexpr const char* not_of_schemes[] = {"--no-edges",
                                          "--no-corners",
                                          "--lattice",
                                          "--staggered",
                                          "--x-halos-apart",
                                          "--open",
                                          "--periodic-in-kernel",
                                          "--steps-per-exchange",
                                          "--exchanges-per-step",
                                          "--device-mpi",
                                          "--partition",
                                          "--ties",
                                          "--weights",
                                          "--node-grid",
                                          "--device-grid",
                                          "--place",
                                          "--seed",
                                          "--transports",
                                          "--messages",
                                          "--beta",
                                          "--beta-within",
                                          "--latency",
                                          "--latency-within",
                                          "--neighbours",
                                          "--tau0",
                                          "--level"};

using SharedFlags = std::shared_ptr<PredictFlags>;

void add_seconds(CLI::App& command, const SharedFlags& flags, const std::string& name, const std::string& type,
                 double unit, const std::string& meaning, std::optional<double> PredictFlags::*target) {
  add_word(command, name, type, meaning, [flags, unit, target](const auto& option, const auto& word) {
    (*flags).*target = unit * parse_number(option, word, 0, 1e9);
  });
}

void add_substeps(CLI::App& command, Options& options) {
  add_word(command, "--substeps-per-exchange", "K",
           "mhd: exchange wider halos once in K of a step's three substeps: 1 (default), 2, or a multiple of 3",
           [&options](const auto& name, const auto& word) {
             options.steps_per_exchange = static_cast<int>(parse_integer(name, word, 1, most_steps_per_exchange));
             if (options.steps_per_exchange > 2 && options.steps_per_exchange % 3 != 0) {
               refuse(name, word, "1, 2 or a multiple of 3");
             }
           });
}

void add_kernel(CLI::App& command, Options& options, const SharedFlags& flags) {
  Choices<StepKernel> choices;
  for (const StepKernel& kernel : step_kernels()) choices.emplace_back(kernel.name, kernel);
  add_word(command, "--kernel", "NAME",
           "jacobi3d, laplace3d, mhd, or custom (default): --fields and --radius, with its costs below",
           [flags, &options, choices](const auto& name, const auto& word) {
             flags->kernel = parse_choice(name, word, choices);
             if (flags->kernel.fields.empty()) return;
             options.fields = parse_fields("--fields", flags->kernel.fields);
             options.stencil = flags->kernel.stencil;
           });
  add_word(
      command, "--bytes-per-cell", "B", "memory traffic of a cell's update in a step, read and written",
      [flags](const auto& option, const auto& word) { flags->kernel.cost.bytes = parse_positive(option, word, 1e9); });
  add_word(
      command, "--flops-per-cell", "N", "operations of a cell's update in a step; counted with --tflops",
      [flags](const auto& option, const auto& word) { flags->kernel.cost.flops = parse_positive(option, word, 1e9); });
  add_integer(command, "--exchanges-per-step", "K", "exchanges of a step (default 1; mhd: 3)", flags->kernel.exchanges,
              1, 1000);
  add_seconds(command, flags, "--tflops", "T", 1e12,
              "peak operations of a device, 10^12 a second (default: not a limit)", &PredictFlags::flop_rate);
}

void add_closed_form(CLI::App& command, const SharedFlags& flags) {
  add_seconds(
      command, flags, "--pi", "NS", nano,
      "pi^-1: measured time of a cell's update in a step on one device (default: bytes and operations at peak rates)",
      &PredictFlags::seconds_per_update);
  add_seconds(command, flags, "--beta", "NS", nano,
              "beta^-1 of a node: time of a halo cell in a step, sent or received (default: the map's)",
              &PredictFlags::beta_between_nodes);
  add_seconds(command, flags, "--beta-within", "NS", nano, "beta^-1 of a device, within its node (default: the map's)",
              &PredictFlags::beta_within_node);
  add_seconds(command, flags, "--latency", "US", micro,
              "latency of each round of messages between nodes (default: the map's)", &PredictFlags::latency);
  add_seconds(command, flags, "--latency-within", "US", micro, "the same within a node (default: the map's)",
              &PredictFlags::latency_within);
  add_integer(command, "--neighbours", "N", "neighbours that are served at once (default 0: all)", flags->neighbours, 0,
              limits::nodes);
  add_word(
      command, "--tau0", "US", "time of a step that nothing overlaps, in both models (default 0)",
      [flags](const auto& option, const auto& word) { flags->serial = micro * parse_number(option, word, 0, 1e9); });
  add_choice(command, "--level", "LEVEL", "closed form of a device (default), or of a node as in the paper's figure 11",
             flags->level_of_nodes, Choices<bool>{{"device", false}, {"node", true}});
}

}  // namespace

void add_predict_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command =
      app.add_subcommand("predict", "predict the time of a step on another machine, with and without overlap");
  add_planning_options(*command, options, Stage::route);
  const auto flags = std::make_shared<PredictFlags>();
  flags->kernel = step_kernels().front();
  add_kernel(*command, options, flags);
  add_substeps(*command, options);
  add_closed_form(*command, flags);
  add_software_options(*command, {flags, &flags->software});
  add_word(*command, "--study", "NAME",
           "1, 2, 4, ... devices: strong or weak scaling; or laplace3d on the devices of a node by each of its "
           "schemes: schemes",
           [flags](const auto& name, const auto& word) {
             flags->study = parse_choice(
                 name, word, Choices<std::string>{{"strong", "strong"}, {"weak", "weak"}, {"schemes", "schemes"}});
           });
  add_integers(
      *command, "--sizes", "N", 16,
      "cells a side of a study; weak: of each device (default 256 512 1024; weak: 256; schemes: 64 128 256 512)",
      flags->sizes, 1, most_side);
  add_integer(*command, "--copy-engines", "N",
              "schemes: copies to and from the host that a device does at a time, 1 or 2 (default)",
              flags->copy_engines, 1, 2);
  add_word(*command, "--synchronise", "US",
           "schemes: time from the end of a copy until the host thread that waits for it goes on (default 0)",
           [flags](const auto& option, const auto& word) {
             flags->synchronise = micro * parse_number(option, word, 0, 1e9);
           });
  add_flag(*command, "--csv", "print the rows as CSV", flags->csv);
  add_examples(*command, {"halocline predict --machine puhti --nodes 2 --kernel mhd --size 256 --pi 2.2",
                          "halocline predict --machine summit --nodes 2 --study weak --kernel jacobi3d",
                          "halocline predict --machine k20-server --kernel laplace3d --study schemes --sizes 64"});
  // The flags live as long as the command.
  command->callback([&chosen, command, flags] {
    for (const char* name : {"--fields", "--radius"}) {
      if (!flags->kernel.fields.empty() && command->count(name) > 0)
        refuse_together(name, fmt::format("--kernel {}", flags->kernel.name));
    }
    if (flags->study.empty() && !flags->sizes.empty()) refuse_without("--sizes", "--study");
    if (!flags->study.empty() && command->count("--size") > 0)
      refuse_together("--size", "--study, which takes --sizes");
    const bool schemes = flags->study == "schemes";
    if (schemes && flags->kernel.name != "laplace3d") refuse_without("--study schemes", "--kernel laplace3d");
    const bool mhd = flags->kernel.name == "mhd";
    if (!mhd && command->count("--substeps-per-exchange") > 0)
      refuse_without("--substeps-per-exchange", "--kernel mhd");
    if (mhd && command->count("--steps-per-exchange") > 0)
      refuse_together("--steps-per-exchange", "--kernel mhd, which takes --substeps-per-exchange");
    for (const char* name : {"--steps-per-exchange", "--substeps-per-exchange"}) {
      if (command->count(name) > 0 && command->count("--exchanges-per-step") > 0)
        refuse_together(name, "--exchanges-per-step");
    }
    for (const char* name : not_of_schemes) {
      if (schemes && command->count(name) > 0) refuse_together(name, "--study schemes");
    }
    for (const char* name : {"--copy-engines", "--synchronise"}) {
      if (!schemes && command->count(name) > 0) refuse_without(name, "--study schemes");
    }
    if (flags->sizes.empty()) {
      flags->sizes = {256, 512, 1024};
      if (flags->study == "weak") flags->sizes = {256};
      if (schemes) flags->sizes = {64, 128, 256, 512};
    }
    chosen = [flags](Context& context) { return run_predict(context, *flags); };
  });
}

}  // namespace cli
