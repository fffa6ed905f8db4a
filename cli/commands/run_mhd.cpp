#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "commands/mhd_communication.hpp"
#include "commands/run.hpp"
#include "documents.hpp"
#include "halocline/core/error.hpp"
#include "mhd/check.hpp"
#include "mhd/prediction.hpp"
#include "planning.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

struct MhdOptions {
  mhd::Settings settings;
  mhd::Problem problem;
  mhd::Parameters parameters;
  std::optional<double> spacing;
  mhd::ForcingSettings forcing;
  std::optional<double> forcing_amplitude;
  int order = 6;
  bool singles = false;
  bool corners = false;
  bool halo_in_x = false;
  bool check = false;
  bool parts = false;
  bool paper = false;
  MhdCommunication communication;
  std::optional<std::string> variant;
};

/// Repeats of what is timed by itself.
constexpr int repeats = 5;

/// The paper's benchmark: 100 steps first, 1,000 timed, or 100 of large domains; random fields and a tiny step.
void follow_paper(MhdOptions& own, const Vec3& size) {
  own.problem.start = mhd::Start::random;
  own.settings.dt = 1.19209e-7;
  own.settings.warm_up = 100;
  own.settings.steps = size.volume() >= std::int64_t{512} * 512 * 512 ? 100 : 1000;
}

/// What the flags decide together.
void complete(MhdOptions& own, Options& options) {
  const Vec3& size = options.size;
  if (own.paper) follow_paper(own, size);
  complete(own.communication, options, own.settings);
  own.parameters = mhd::adapted(own.parameters, own.problem.start);
  own.parameters.spacing = mhd::default_spacing(size);
  // Nothing is said about the cells of the paper's random fields: they are 1 wide.
  if (own.problem.start == mhd::Start::random) own.parameters.spacing = {1, 1, 1};
  if (own.spacing) own.parameters.spacing.fill(*own.spacing);
  own.forcing.amplitude = own.forcing_amplitude.value_or(mhd::default_forcing(own.problem.start).amplitude);
  if (own.settings.graph && !own.settings.dt)
    refuse("--graph", "on", "together with --dt, as it is part of what is recorded");
  if (own.settings.graph && own.forcing.amplitude > 0) {
    refuse("--graph", "on", "without forcing (--forcing 0), which is another wave in each step");
  }
  if (!own.check) return;
  if (!own.settings.dt) refuse("--check", "on", "together with --dt: the model takes steps of one length");
  if (own.forcing.amplitude > 0) refuse("--check", "on", "without forcing (--forcing 0)");
}

double nanoseconds_a_cell(double seconds, const Vec3& size) {
  return seconds * 1e9 / static_cast<double>(size.volume());
}

std::string result_text(const mhd::Result& result, const Vec3& size) {
  return fmt::format(
      "steps       {} to time {:.6g}, the last of {:.6g}\n"
      "step        {}, {:.4g} ns a cell  (median of {}; three substeps; slowest subdomain; {})\n"
      "total       {}  (timed steps and diagnostics, slowest rank)\n",
      result.steps, result.time, result.dt, seconds_text(result.median_step_seconds),
      nanoseconds_a_cell(result.median_step_seconds, size), result.step_seconds.size(),
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
                {"ns_per_cell_step", nanoseconds_a_cell(result.median_step_seconds, size)},
                {"total_s", result.total_seconds}};
  for (const auto& d : result.diagnostics) document["diagnostics"].push_back(diagnostics_json(d));
  return document;
}

std::string check_text(const mhd::Check& check) {
  Table table({"field", "cells", "ulp", "beyond 2", "where 0", "scaled"});
  for (std::size_t i = 0; i < mhd::field_count; ++i) {
    const auto& d = check.of[i];
    table.row({std::string(mhd::field_names[i]), std::to_string(d.cells), fmt::format("{:.3g}", d.ulps),
               std::to_string(d.beyond), fmt::format("{:.3g}", d.absolute), fmt::format("{:.3g}", d.scaled)});
  }
  const std::string rule = check.by_ulps ? "2 ulp" : fmt::format("{:.3g} of a field's largest value", check.allowed);
  return fmt::format("\ncheck       {}: at most {} from a model solution without Halocline\n{}",
                     check.passed() ? "passed" : "FAILED", rule, table.text());
}

Json check_json(const mhd::Check& check) {
  Json document{{"passed", check.passed()}, {"by_ulps", check.by_ulps}, {"allowed_scaled", check.allowed}};
  for (std::size_t i = 0; i < mhd::field_count; ++i) {
    const auto& d = check.of[i];
    document["fields"].push_back({{"name", mhd::field_names[i]},
                                  {"cells", d.cells},
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

std::string model_text(const Modelled& m, double step) {
  const auto& p = m.prediction;
  return fmt::format(
      "compute     {} a step alone: {:.4g} ns a cell and device\n"
      "exchange    {} a step alone{}\n"
      "model       {} a step (the longer of the two); it is {:.1f} % of the measured one\n",
      seconds_text(m.parts.compute), p.seconds_per_update * 1e9, seconds_text(m.parts.exchange),
      p.seconds_per_cell > 0 ? fmt::format(": {:.4g} ns a halo cell, sent or received", p.seconds_per_cell * 1e9) : "",
      seconds_text(p.step), 100 * p.step / step);
}

/// Prints how fast each is; the fastest is in use afterwards.
template <typename T>
Json try_variants(Context& context, mhd::Solver<T>& solver) {
  Json document = Json::array();
  Table table({"variant", "update"});
  for (const auto& trial : solver.try_variants(repeats)) {
    table.row({trial.variant, seconds_text(trial.seconds)});
    document.push_back({{"variant", trial.variant}, {"update_s", trial.seconds}});
  }
  context.print_text(table.text() + "\n");
  return document;
}

template <typename T>
int run_mhd(Context& context, const MhdOptions& wanted) {
  Options& options = context.options;
  MhdOptions own = wanted;
  complete(own, options);
  options.radius = mhd::radius(own.order);
  options.no_corners = !own.corners;
  if (!own.halo_in_x) options.boundaries = mhd::boundaries;
  if (own.corners) options.radius = Radius::uniform(own.order / 2);
  Domain domain(options.size, options.radius, context.world, domain_options(context));
  const auto state = mhd::add_fields<T>(domain);
  domain.realize();
  options.fields = domain.geometry().fields;
  const auto routes = domain.gather_routes();
  Json document = document_of("run mhd");
  document["domain"] = domain_json(options);
  document["machine"] = machine_summary(domain.plan().machine);
  document["backend"] = backend_name(domain);
  document["partition"] = partition_json(domain.plan());
  document["placement"] = placement_json(domain.plan());
  const auto shares = shares_of_all_ranks(domain);
  document["transports"] = shares_json(shares);
  document["order"] = own.order;
  document["initial"] = mhd::start_names[static_cast<std::size_t>(own.problem.start)];
  document["graph"] = own.settings.graph;
  document["messages"] = exchange::to_string(options.messages.value_or(exchange::Messages::by_neighbour));
  document["outer"] = own.communication.outer == mhd::Outer::as_ready ? "as_ready" : "after_all";
  bool passed = true;
  {
    mhd::Solver<T> solver(domain, state, own.parameters, own.order, own.forcing);
    const auto start = mhd::initial_values(own.problem, options.size, own.parameters);
    if (own.variant && *own.variant != "auto") solver.choose_variant(*own.variant);
    context.print_text(explain(domain.plan(), routes));
    context.print_text(fmt::format("\ndevices     {}\n", devices_text(domain)));
    context.print_text(messages_text(options, shares));
    solver.choose_outer(own.communication.outer);
    solver.initialise(start);
    if (own.variant == "auto") document["variants"] = try_variants(context, solver);
    std::optional<ProgressBar> bar;
    if (context.root()) bar.emplace("mhd", own.settings.warm_up + own.settings.steps, options.progress);
    const auto result = solver.run(own.settings, [&bar](std::int64_t step, std::int64_t) {
      if (bar) bar->update(step);
    });
    bar.reset();
    context.print_text(result_text(result, options.size));
    document["result"] = result_json(result, options.size);
    if (own.check) {
      const auto check = mhd::check(domain, solver, own.parameters, own.order, start,
                                    own.problem.start == mhd::Start::random, result.steps, result.dt);
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
                           {"update_s_per_cell", m.prediction.seconds_per_update},
                           {"exchange_s_per_cell", m.prediction.seconds_per_cell},
                           {"step_s", m.prediction.step},
                           {"efficiency", m.prediction.step / result.median_step_seconds}};
      context.print_text("\n" + model_text(m, result.median_step_seconds));
    }
  }
  domain.close();
  context.print_document(document);
  return passed ? 0 : 1;
}

/// A number from least to most.
void add_number(CLI::App& command, const std::string& name, const std::string& meaning, double least, double most,
                std::function<void(double)> set) {
  add_word(command, name, "X", meaning, [least, most, set = std::move(set)](const auto& option, const auto& word) {
    set(parse_number(option, word, least, most));
  })->group("Fluid");
}

void add_fluid_options(CLI::App& command, MhdOptions& own) {
  auto& p = own.parameters;
  constexpr double most = 1e6;
  const auto into = [](double& target) { return [&target](double value) { target = value; }; };
  add_number(command, "--viscosity", "kinematic viscosity (default 5e-3)", 0, most, into(p.viscosity));
  add_number(command, "--bulk-viscosity", "default 1e-2", 0, most, into(p.bulk_viscosity));
  add_number(command, "--diffusivity", "magnetic diffusivity (default 5e-3)", 0, most, into(p.diffusivity));
  add_number(command, "--conductivity", "of heat (default 1e-3)", 0, most, into(p.conductivity));
  add_number(command, "--imposed-field", "uniform magnetic field along x (default 0; 1 for alfven-wave)", -most, most,
             into(p.imposed_field[0]));
  add_number(command, "--spacing", "width of a cell (default 2 pi / cells in x; 1 for random)", 1e-9, most,
             [&own](double value) { own.spacing = value; });
  add_number(command, "--amplitude", "of waves and turbulence (default: the start's own)", 0, most,
             into(own.problem.amplitude));
  add_number(command, "--forcing", "amplitude of helical random waves, one a step (default 0; 0.05 for forced)", 0,
             most, [&own](double value) { own.forcing_amplitude = value; });
  add_number(command, "--forcing-wave-number", "in lengths of the domain in x (default 3)", 1, 64,
             into(own.forcing.wave_number));
  add_number(command, "--helicity", "of the waves, -1 to 1 (default 1)", -1, 1, into(own.forcing.helicity));
}

void add_step_options(CLI::App& command, MhdOptions& own) {
  const std::string group = "Steps";
  auto& settings = own.settings;
  const auto add_count = [&](const std::string& name, const std::string& meaning, std::int64_t least,
                             std::int64_t& to) {
    add_word(command, name, "N", meaning, [least, &to](const auto& option, const auto& word) {
      to = parse_integer(option, word, least, std::int64_t{1} << 40);
    })->group(group);
  };
  add_count("--steps", "that are timed (default 100)", 1, settings.steps);
  add_count("--warm-up", "steps before them (default 0)", 0, settings.warm_up);
  add_count("--diagnostics-every", "steps between diagnostics (default 0: only after the last)", 0,
            settings.diagnostics_every);
  add_count("--cfl-every", "steps between two looks at the limits of the time step (default 10)", 1,
            settings.cfl_every);
  add_word(command, "--dt", "T", "fixed time step (default: from --cfl)",
           [&settings](const auto& name, const auto& word) { settings.dt = parse_number(name, word, 0, 1e6); })
      ->group(group);
  add_word(command, "--cfl", "C", "part of the time that the fastest wave takes through a cell (default 0.4)",
           [&settings](const auto& name, const auto& word) { settings.cfl = parse_positive(name, word, 1); })
      ->group(group);
  add_word(command, "--order", "K", "of the differences: 2, 4, 6 (default), 8",
           [&own](const auto& name, const auto& word) {
             own.order = mhd::orders[parse_choice(name, word, {"2", "4", "6", "8"})];
           })
      ->group(group);
  add_word(command, "--precision", "TYPE", "f64 (default) or f32", [&own](const auto& name, const auto& word) {
    own.singles = parse_choice(name, word, {"f64", "f32"}) == 1;
  })->group(group);
  add_word(command, "--initial", "NAME", "random (default), sound-wave, alfven-wave, orszag-tang, decaying, forced",
           [&own](const auto& name, const auto& word) {
             own.problem.start =
                 static_cast<mhd::Start>(parse_choice(name, word, {mhd::start_names.begin(), mhd::start_names.end()}));
           })
      ->group(group);
  add_word(command, "--start-seed", "N", "of random fields, waves and forcing (default 1)",
           [&own](const auto& name, const auto& word) {
             const auto seed = parse_integer(name, word, 0, std::int64_t{1} << 62);
             own.problem.seed = own.forcing.seed = static_cast<std::uint64_t>(seed);
           })
      ->group(group);
}

void add_way_options(CLI::App& command, MhdOptions& own) {
  const std::string group = "Ways";
  const auto flag = [&](const std::string& name, const std::string& meaning, std::function<void()> set) {
    command.add_flag_callback(name, std::move(set), meaning)->disable_flag_override()->group(group);
  };
  auto& settings = own.settings;
  flag("--overlap",
       "update the interior while halos are under way; without either flag, runs of 20 steps or more try both first",
       [&] { settings.overlap = true; });
  flag("--no-overlap", "update all cells after the halos are there", [&] { settings.overlap = false; });
  flag("--graph", "record two steps and replay them as one launch (needs --dt, no forcing, no route by the host)",
       [&] { settings.graph = true; });
  flag("--halo-in-x",
       "exchange halos in x even where a device has whole rows, whose ends kernels can wrap around by themselves",
       [&own] { own.halo_in_x = true; });
  flag("--corners", "send the halos beyond corners, too, which no difference reads", [&own] { own.corners = true; });
  flag("--parts", "time computation and exchange alone afterwards, and put the model beside the measured step",
       [&own] { own.parts = true; });
  flag("--paper",
       "the paper's benchmark: random, --dt 1.19209e-7, 100 steps first, then 1000 (100 from 512^3 cells on)",
       [&own] { own.paper = true; });
  flag("--check", "compare with a model solution of one core without Halocline; exit code 1 where they differ",
       [&own] { own.check = true; });
  add_mhd_communication_options(command, group, own.communication);
  add_word(command, "--variant", "NAME", "of the kernel: a name, or auto: try all, print them, take the fastest",
           [&own](const auto&, const auto& word) { own.variant = word; })
      ->group(group);
}

}  // namespace

void add_run_mhd(CLI::App& run, Options& options, Command& chosen) {
  auto* command = run.add_subcommand("mhd", "magnetohydrodynamics in a periodic box: eight fields, order 2 to 8");
  add_size_option(*command, options);
  add_machine_options(*command, options);
  add_decision_options(*command, options);
  add_output_options(*command, options);
  add_progress_option(*command, options);
  auto own = std::make_shared<MhdOptions>();
  add_step_options(*command, *own);
  add_fluid_options(*command, *own);
  add_way_options(*command, *own);
  command->callback([&chosen, own] {
    chosen = [own](Context& context) {
      return own->singles ? run_mhd<float>(context, *own) : run_mhd<double>(context, *own);
    };
  });
}

}  // namespace cli
