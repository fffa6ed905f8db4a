// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "cli/documents.hpp"
#include "cli/planning.hpp"
#include "cli/table.hpp"
#include "common/command_trace.hpp"
#include "common/slowest.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "mhd/check.hpp"
#include "mhd/command.hpp"
#include "mhd/command_options.hpp"
#include "mhd/trials.hpp"

namespace apps {

using namespace cli;
using namespace halocline;

namespace {

/// Repeats of what is timed by itself.
constexpr int repeats = 5;

std::string result_text(const mhd::Result& result, const Options& options) {
  return fmt::format(
      "steps       {} to time {:.6g}, the last of {:.6g}\n"
      "step        {}, {:.4g} ns a cell  (median of {}; three substeps{}; slowest subdomain; {})\n"
      "total       {}  (timed steps, diagnostics and files, slowest rank)\n",
      result.steps, result.time, result.dt, seconds_text(result.median_step_seconds),
      mhd::nanoseconds_a_cell(result.median_step_seconds, options.size), result.step_seconds.size(),
      options.steps_per_exchange == 1 ? "" : fmt::format(", {} an exchange", options.steps_per_exchange),
      result.overlapped ? "overlapped" : "exchange first", seconds_text(result.total_seconds));
}

std::string diagnostics_text(const mhd::Result& result) {
  Table energies({"step", "time", "mass", "kinetic", "magnetic", "thermal", "speed"});
  for (const auto& d : result.diagnostics) {
    const auto mean = [&d](int i) { return fmt::format("{:.9g}", d.of[static_cast<std::size_t>(i)].mean); };
    energies.row({std::to_string(d.step), fmt::format("{:.6g}", d.time), mean(mhd::density), mean(mhd::kinetic_energy),
                  mean(mhd::magnetic_energy), mean(mhd::thermal_energy),
                  fmt::format("{:.6g}", d.of[mhd::fastest].max)});
  }
  Table fields({"field", "min", "max", "rms"});
  for (std::size_t i = 0; i < mhd::field_count; ++i) {
    const auto& of = result.diagnostics.back().of[i];
    fields.row({std::string(mhd::field_names[i]), fmt::format("{:.9g}", of.min), fmt::format("{:.9g}", of.max),
                fmt::format("{:.9g}", of.rms)});
  }
  return "\nmeans over the domain (speed: the largest)\n" + energies.text() + "\nafter the last step\n" + fields.text();
}

Json diagnostics_json(const mhd::Diagnostics& d) {
  Json of;
  for (std::size_t i = 0; i < mhd::quantity_count; ++i) {
    const auto& r = d.of[i];
    of[std::string(mhd::quantity_names[i])] = {{"min", r.min}, {"max", r.max}, {"mean", r.mean}, {"rms", r.rms}};
  }
  return {{"step", d.step}, {"time", d.time}, {"of", of}};
}

Json result_json(const mhd::Result& result, const Vec3& size) {
  Json document{{"steps", result.steps},
                {"time", result.time},
                {"dt", result.dt},
                {"overlapped", result.overlapped},
                {"step_s", statistics_json(statistics_of(result.step_seconds))},
                {"ns_per_cell_step", mhd::nanoseconds_a_cell(result.median_step_seconds, size)},
                {"total_s", result.total_seconds}};
  for (const auto& d : result.diagnostics) document["diagnostics"].push_back(diagnostics_json(d));
  return document;
}

std::string check_text(const mhd::Check& check) {
  Table table({"field", "cells", "roundings", "ulp", "beyond 2", "where 0", "scaled"});
  for (std::size_t i = 0; i < mhd::field_count; ++i) {
    const auto& d = check.of[i];
    table.row({std::string(mhd::field_names[i]), std::to_string(d.cells), fmt::format("{:.3g}", d.roundings),
               fmt::format("{:.3g}", d.ulps), std::to_string(d.beyond), fmt::format("{:.3g}", d.absolute),
               fmt::format("{:.3g}", d.scaled)});
  }
  return fmt::format(
      "\ncheck       {}: at most {:.3g} roundings (2 a step) from a model solution without Halocline\n"
      "            {} 2 ulp of each value, the paper's rule for one step from random fields\n{}",
      check.passed() ? "passed" : "FAILED", check.allowed(), check.within_two_ulp() ? "within" : "beyond",
      table.text());
}

Json check_json(const mhd::Check& check) {
  Json document{
      {"passed", check.passed()}, {"allowed_roundings", check.allowed()}, {"within_2_ulp", check.within_two_ulp()}};
  for (std::size_t i = 0; i < mhd::field_count; ++i) {
    const auto& d = check.of[i];
    document["fields"].push_back({{"name", mhd::field_names[i]},
                                  {"cells", d.cells},
                                  {"roundings", d.roundings},
                                  {"ulp", d.ulps},
                                  {"beyond_2_ulp", d.beyond},
                                  {"absolute_where_0", d.absolute},
                                  {"scaled", d.scaled}});
  }
  return document;
}

struct Modelled {
  mhd::Parts parts;
  mhd::Prediction prediction;
};

std::string model_text(const Modelled& m, double step, int substeps_per_exchange) {
  const auto& p = m.prediction;
  return fmt::format(
      "compute     {} a step alone: {:.4g} ns a cell and device\n"
      "exchange    {} a step alone{}\n"
      "model       {} a step ({}); it is {:.1f} % of the measured one\n",
      seconds_text(m.parts.compute), p.seconds_per_update * 1e9, seconds_text(m.parts.exchange),
      p.seconds_per_cell > 0 ? fmt::format(": {:.4g} ns a halo cell, sent or received", p.seconds_per_cell * 1e9) : "",
      seconds_text(p.step),
      substeps_per_exchange == 1
          ? "the longer of the two"
          : fmt::format("the longer of exchange and computation in one of {} substeps, and the others",
                        substeps_per_exchange),
      100 * p.step / step);
}

/// Continues from the checkpoint of a restart; --steps and --warm-up then count from the solution's first step.
template <typename T>
void continue_from(const RunFiles& files, mhd::Solver<T>& solver, mhd::Settings& settings) {
  const std::int64_t all = settings.warm_up + settings.steps;
  solver.continue_from({files.first_step(), files.restored("time"), files.restored("dt")});
  settings.warm_up = std::max<std::int64_t>(settings.warm_up - files.first_step(), 0);
  settings.steps = all - files.first_step() - settings.warm_up;
}

/// Writes the files of a run after the steps at which they are due, and its trace.
mhd::Stops stops_for(RunFiles& files, RunTrace& trace, Domain& domain, std::int64_t last) {
  return {.next = [&files, &trace](std::int64_t step) { return std::min(files.next(step), trace.next(step)); },
          .at =
              [&files, &trace, &domain, last](const mhd::Position& at) {
                trace.at(at.step, domain);
                files.write(at.step, at.time, at.step == last, {{"time", at.time}, {"dt", at.dt}});
              }};
}

/// Prints how fast each number of substeps for an exchange is; the domain's options hold the fastest afterwards.
template <typename T>
Json try_substeps(Context& context, const MhdOptions& own) {
  Options& options = context.options;
  const mhd::Updates updates{own.wire,    own.parameters, own.order,
                             own.forcing, own.variant,    own.communication.boundary_order()};
  const auto trials = mhd::try_substeps_per_exchange<T>(options.size, options.stencil, context.world,
                                                        domain_options(context), updates, own.settings);
  options.steps_per_exchange = trials.front().substeps_per_exchange;
  Json document = Json::array();
  std::string text;
  for (const auto& trial : trials) {
    text +=
        fmt::format("{} {}: {} a step", text.empty() ? "" : ",", trial.substeps_per_exchange, seconds_text(trial.step));
    document.push_back({{"substeps_per_exchange", trial.substeps_per_exchange}, {"step_s", trial.step}});
  }
  context.print_text(fmt::format("halos       tried, by substeps per exchange:{}\n\n", text));
  return document;
}

/// Prints how fast each is; the fastest is in use afterwards.
template <typename T>
Json try_variants(Context& context, mhd::Solver<T>& solver) {
  Json document = Json::array();
  Table table({"variant", "update"});
  for (const auto& trial : solver.try_variants(repeats)) {
    table.row({trial.variant, seconds_cell(trial.seconds)});
    document.push_back({{"variant", trial.variant}, {"update_s", trial.seconds}});
  }
  context.print_text(table.text() + "\n");
  return document;
}

template <typename T>
int run_mhd(Context& context, const MhdOptions& wanted) {
  RunTrace trace(context);
  Options& options = context.options;
  MhdOptions own = wanted;
  complete(own.communication, options, own.settings);
  complete(own, options.size);
  options.stencil = mhd::stencil(own.order);
  options.no_corners = !own.corners;
  if (!own.halo_in_x) options.boundaries = mhd::boundaries;
  if (own.corners) options.stencil = Stencil::box(own.order / 2);
  options.steps_per_exchange = own.substeps_per_exchange;
  const Json halo_trials = own.try_substeps ? try_substeps<T>(context, own) : Json();
  Domain domain(options.size, options.stencil, context.world, domain_options(context));
  const auto state = mhd::add_fields<T>(domain, own.wire);
  domain.realize();
  options.fields = internals(domain).geometry().fields;
  const auto routes = internals(domain).gather_routes();
  Json document = document_of("run mhd");
  document["domain"] = domain_json(options);
  document["machine"] = machine_summary(internals(domain).plan().machine);
  document["backend"] = backend_name(domain);
  document["partition"] = partition_json(internals(domain).plan());
  document["placement"] = placement_json(internals(domain).plan());
  const auto shares = shares_of_all_ranks(domain);
  document["transports"] = shares_json(shares);
  document["order"] = own.order;
  document["substeps_per_exchange"] = options.steps_per_exchange;
  if (own.try_substeps) document["halo_trials"] = halo_trials;
  document["initial"] = mhd::start_names[static_cast<std::size_t>(own.problem.start)];
  document["graph"] = own.settings.graph;
  document["messages"] = routing::to_string(options.messages.value_or(exchange::Messages::by_neighbour));
  document["boundary"] = own.communication.boundary_order() == mhd::BoundaryOrder::as_ready ? "as_ready" : "after_all";
  bool passed = true;
  try {
    mhd::Solver<T> solver(domain, state, own.parameters, own.order, own.forcing);
    const auto start = mhd::initial_values(own.problem, options.size, own.parameters);
    if (own.variant && *own.variant != "auto") solver.choose_variant(*own.variant);
    context.print_text(explain(internals(domain).plan(), routes));
    context.print_text(fmt::format("\ndevices     {}\n", devices_text(domain)));
    context.print_text(messages_text(options, shares));
    solver.choose_boundary_order(own.communication.boundary_order());
    const double start_seconds = slowest_seconds(context.world, [&] { solver.initialise(start); });
    document["start_s"] = start_seconds;
    context.print_text(fmt::format("start       {}  (initial values, computed on the host; slowest rank)\n",
                                   seconds_text(start_seconds)));
    if (own.variant == "auto") document["variants"] = try_variants(context, solver);
    const std::int64_t last = own.settings.warm_up + own.settings.steps;
    std::optional<RunFiles> files(
        std::in_place, context, domain, own.files,
        RunFiles::Run{.app = "mhd", .steps = last, .images = {.spacing = own.parameters.spacing}});
    if (own.files.restart) {
      continue_from(*files, solver, own.settings);
      document["restarted_at"] = files->first_step();
      context.print_text(fmt::format("restarted   after step {}\n", files->first_step()));
    }
    std::optional<ProgressBar> bar;
    if (context.root()) bar.emplace("mhd", own.settings.warm_up + own.settings.steps, options.progress);
    const auto progress = [&bar](std::int64_t step, std::int64_t) {
      if (bar) bar->update(step);
    };
    // A step has an exchange, or several.
    const std::int64_t traced = traced_exchanges * std::max(1, options.steps_per_exchange / mhd::Williamson::substeps);
    trace.set_steps(files->first_step(), last, traced);
    trace.at(files->first_step(), domain);
    const auto result = solver.run(own.settings, progress, stops_for(*files, trace, domain, last));
    bar.reset();
    files.reset();
    context.print_text(result_text(result, options));
    document["result"] = result_json(result, options.size);
    trace.report(context, document);
    if (own.check) {
      const auto check = mhd::check(domain, solver, own.parameters, own.order, start, result.stretches);
      passed = check.passed();
      document["check"] = check_json(check);
      context.print_text(check_text(check));
    }
    context.print_text(diagnostics_text(result));
    if (own.parts) {
      Modelled m;
      m.parts = solver.time_parts(repeats);
      m.prediction = mhd::predict(domain, own.order, m.parts);
      document["model"] = {{"compute_s", m.parts.compute},
                           {"exchange_s", m.parts.exchange},
                           {"synchronisation_s", m.parts.synchronisation},
                           {"update_s_per_cell", m.prediction.seconds_per_update},
                           {"exchange_s_per_cell", m.prediction.seconds_per_cell},
                           {"step_s", m.prediction.step},
                           {"efficiency", m.prediction.step / result.median_step_seconds}};
      context.print_text("\n" + model_text(m, result.median_step_seconds, options.steps_per_exchange));
    }
  } catch (const InvalidArgument&) {
    domain.close();  // all ranks throw the same
    throw;
  }
  domain.close();
  context.print_document(document);
  return passed ? 0 : 1;
}

class Mhd : public App {
 public:
  [[nodiscard]] std::string name() const override { return "mhd"; }
  [[nodiscard]] std::string description() const override {
    return "magnetohydrodynamics in a periodic box: eight fields, order 2 to 8";
  }
  [[nodiscard]] std::vector<std::string> examples() const override {
    return {"halocline run mhd --size 16 --devices 2 --steps 10 --initial sound-wave",
            "halocline run mhd --size 16 --steps 5 --dt 1e-5 --check"};
  }
  void add_options(CLI::App& command, Options& options) override {
    add_decision_options(command, options);
    add_progress_option(command, options);
    add_mhd_options(command, own_);
  }
  int run(Context& context) override {
    refuse_traced(context.options, own_.study.has_value(), "--study");
    refuse_traced(context.options, own_.settings.graph, "--graph, whose steps are replayed");
    if (own_.study) return run_mhd_study(context, own_);
    return own_.singles ? run_mhd<float>(context, own_) : run_mhd<double>(context, own_);
  }

 private:
  MhdOptions own_;
};

}  // namespace

std::unique_ptr<App> make_mhd() { return std::make_unique<Mhd>(); }

}  // namespace apps
