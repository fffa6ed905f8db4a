// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/command_options.hpp"

#include <fmt/core.h>

#include <tuple>

#include "halocline/error.hpp"

namespace apps {

using namespace cli;
using namespace halocline;

namespace {

/// An enumeration's values by their names, which are in its order.
template <typename Enum, typename Names>
Choices<Enum> named(const Names& names) {
  Choices<Enum> choices;
  for (std::size_t i = 0; i < names.size(); ++i) choices.emplace_back(names[i], static_cast<Enum>(i));
  return choices;
}

Choices<int> order_choices() {
  Choices<int> choices;
  for (const int order : mhd::orders) choices.emplace_back(fmt::format("{}", order), order);
  return choices;
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
  add_number(command, "--bulk-viscosity", "bulk viscosity (default 1e-2)", 0, most, into(p.bulk_viscosity));
  add_number(command, "--diffusivity", "magnetic diffusivity (default 5e-3)", 0, most, into(p.diffusivity));
  add_number(command, "--conductivity", "thermal conductivity (default 1e-3)", 0, most, into(p.conductivity));
  add_number(command, "--imposed-field", "uniform magnetic field along x (default 0; 1 for alfven-wave)", -most, most,
             [&own](double value) { own.imposed_field = value; });
  add_number(command, "--spacing", "width of a cell (default 2 pi / cells in x; 1 for random)", 1e-9, most,
             [&own](double value) { own.spacing = value; });
  add_number(command, "--amplitude", "amplitude of waves and turbulence (default: by --initial)", 0, most,
             [&own](double value) { own.problem.amplitude = value; });
  add_number(command, "--forcing", "amplitude of helical random waves, one a step (default 0; 0.05 for forced)", 0,
             most, [&own](double value) { own.forcing_amplitude = value; });
  add_number(command, "--forcing-wave-number",
             "wave number of the forcing, in units of the domain's length in x (default 3)", 1, 64,
             [&own](double value) { own.forcing_wave_number = value; });
  add_number(command, "--helicity", "helicity of the forcing, -1 to 1 (default 1)", -1, 1,
             [&own](double value) { own.helicity = value; });
}

void add_step_options(CLI::App& command, MhdOptions& own) {
  const std::string group = "Steps";
  auto& settings = own.settings;
  constexpr std::int64_t most = std::int64_t{1} << 40;
  add_integer(command, "--steps", "N", "timed steps (default 100)", own.steps, 1, most)->group(group);
  add_integer(command, "--warm-up", "N", "steps before them (default 0; 10 with --study)", own.warm_up, 0, most)
      ->group(group);
  add_integer(command, "--diagnostics-every", "N", "steps between diagnostics (default 0: only after the last)",
              settings.diagnostics_every, 0, most)
      ->group(group);
  add_integer(command, "--cfl-every", "N", "steps between two computations of the time step (default 10)",
              own.cfl_every, 1, most)
      ->group(group);
  add_word(
      command, "--dt", "T",
      "fixed time step (default: from --cfl; of random fields, which no time step from waves keeps finite, 1.19209e-7)",
      [&settings](const auto& name, const auto& word) { settings.dt = parse_number(name, word, 0, 1e6); })
      ->group(group);
  add_positive(command, "--cfl", "C",
               "Courant number: time step over the time in which the fastest wave crosses a cell (default 0.4)",
               own.cfl, 1)
      ->group(group);
  add_choice(command, "--order", "K", "order of the differences: 2, 4, 6 (default), 8", own.order, order_choices())
      ->group(group);
  add_choice(command, "--precision", "TYPE", "f64 (default) or f32", own.singles,
             Choices<bool>{{"f64", false}, {"f32", true}})
      ->group(group);
  add_choice(command, "--initial", "NAME", "random (default), sound-wave, alfven-wave, orszag-tang, decaying, forced",
             own.initial, named<mhd::Start>(mhd::start_names))
      ->group(group);
  add_word(command, "--start-seed", "N", "seed of random fields, waves and forcing (default 1)",
           [&own](const auto& name, const auto& word) {
             const auto seed = parse_integer(name, word, 0, std::int64_t{1} << 62);
             own.problem.seed = own.forcing.seed = static_cast<std::uint64_t>(seed);
           })
      ->group(group);
}

void add_way_options(CLI::App& command, MhdOptions& own) {
  const std::string group = "Ways";
  const auto flag = [&](const std::string& name, const std::string& meaning, std::function<void()> set) {
    add_flag(command, name, meaning, std::move(set))->group(group);
  };
  auto& settings = own.settings;
  flag("--overlap",
       "update the interior while halos are under way; without either flag, runs of 20 steps or more try both first",
       [&] { settings.overlap = true; });
  flag("--no-overlap", "update all cells after the exchange", [&] { settings.overlap = false; });
  flag("--graph", "record two steps and replay them as one launch (needs --dt, no forcing, no route by the host)",
       [&] { settings.graph = true; });
  add_word(command, "--substeps-per-exchange", "K",
           "exchange wider halos once in K of a step's three substeps: 1 (default), 2, 3 (once a step), or more whole "
           "steps; auto: time 1, 2, 3 and 6 first",
           [&own](const auto& name, const auto& word) {
             const char* const allowed = "auto, 1, 2 or a multiple of 3";
             own.try_substeps = word == "auto";
             if (own.try_substeps) return;
             if (word.find_first_not_of("0123456789") != std::string::npos) refuse(name, word, allowed);
             own.substeps_per_exchange = static_cast<int>(parse_integer(name, word, 1, most_steps_per_exchange));
             if (!mhd::can_serve(own.substeps_per_exchange)) refuse(name, word, allowed);
           })
      ->group(group);
  flag("--halo-in-x", "exchange halos in x even if x is not cut, where kernels could wrap around",
       [&own] { own.halo_in_x = true; });
  flag("--corners", "also exchange halos across corners, which no difference reads", [&own] { own.corners = true; });
  add_choice(
      command, "--wire", "TYPE",
      "send halos in a narrower format: f32 (of f64), bf16 or f16; --check then shows how far the solution is off",
      own.wire, Choices<std::optional<Element>>{{"f32", Element::f32}, {"bf16", Element::bf16}, {"f16", Element::f16}})
      ->group(group);
  flag("--parts", "also time computation and exchange separately, and compare the step with the model",
       [&own] { own.parts = true; });
  flag("--paper",
       "the paper's benchmark: random, --dt 1.19209e-7, 100 warm-up steps, then 1000 (100 from 512^3 cells on)",
       [&own] { own.paper = true; });
  flag("--check",
       "compare with a model solution of one core without Halocline; exit code 1 where a value differs by more than 2 "
       "roundings a step of what the step adds up in its cell",
       [&own] { own.check = true; });
  add_mhd_communication_options(command, group, own.communication);
  add_text(command, "--variant", "NAME", "variant of the kernel: a name, or auto: time all, and use the fastest",
           own.variant)
      ->group(group);
}

void add_study_options(CLI::App& command, MhdOptions& own) {
  const std::string group = "Study";
  add_choice(command, "--study", "NAME",
             "measure a series: strong, parts, weak, orders or backends; starts from random fields", own.study,
             named<mhd::StudyKind>(mhd::study_names))
      ->group(group);
  add_words(command, "--sizes", "N ...", 64, "edges of cubes, one after the other, instead of --size",
            [&own](const auto& name, const auto& words) {
              own.sizes.clear();
              for (const auto& word : split_at_commas(words)) {
                own.sizes.push_back(Vec3::filled(parse_integer(name, word, 1, 1 << 16)));
              }
            })
      ->group(group);
  add_integers(command, "--device-counts", "D ...", 16,
               "numbers of devices of all ranks together (default: 1, 2, 4, ... and all)", own.device_counts, 1,
               1 << 20)
      ->group(group);
  add_text(command, "--csv", "FILE", "write one line for each case", own.csv)->group(group);
}

/// The paper's benchmark: 100 steps first, 1,000 timed, or 100 of large domains; random fields and a tiny step.
void follow_paper(MhdOptions& own, const Vec3& size) {
  const std::string paper = "--paper, which has its own";
  if (own.initial && *own.initial != mhd::Start::random) refuse_together("--initial", paper);
  if (own.problem.amplitude) refuse_together("--amplitude", paper);
  if (own.settings.dt) refuse_together("--dt", paper);
  if (own.cfl) refuse_together("--cfl", paper);
  own.problem.start = mhd::Start::random;
  own.settings.dt = paper_dt;
  std::tie(own.settings.warm_up, own.settings.steps) = mhd::paper_steps(size);
}

/// A flag that would count for nothing is refused.
void refuse_study_flags(const MhdOptions& own) {
  if (!own.sizes.empty()) refuse_without("--sizes", "--study");
  if (!own.device_counts.empty()) refuse_without("--device-counts", "--study");
  if (own.csv) refuse_without("--csv", "--study");
}

}  // namespace

void add_mhd_options(CLI::App& command, MhdOptions& own) {
  add_step_options(command, own);
  add_fluid_options(command, own);
  add_way_options(command, own);
  add_study_options(command, own);
  add_file_options(command, "mhd", own.files);
}

void complete(MhdOptions& own, const Vec3& size) {
  if (own.cfl && own.settings.dt) refuse_together("--cfl", "--dt");
  if (own.cfl_every && (own.settings.dt || own.paper)) refuse_together("--cfl-every", "a given time step");
  own.problem.start = own.initial.value_or(own.problem.start);
  if (own.paper) follow_paper(own, size);
  if (own.steps) own.settings.steps = *own.steps;
  if (own.warm_up) own.settings.warm_up = *own.warm_up;
  refuse_study_flags(own);
  if (own.wire == Element::f32 && own.singles) refuse_together("--wire f32", "--precision f32, which it is");
  own.parameters = mhd::adapted(own.parameters, own.problem.start);
  if (own.imposed_field) own.parameters.imposed_field[0] = *own.imposed_field;
  if (own.problem.amplitude && own.problem.start == mhd::Start::random) {
    refuse_without("--amplitude", "--initial with another name than random");
  }
  own.parameters.spacing = mhd::default_spacing(size);
  // Nothing is said about the cells of the paper's random fields: they are 1 wide.
  if (own.problem.start == mhd::Start::random) own.parameters.spacing = {1, 1, 1};
  if (own.spacing) own.parameters.spacing.fill(*own.spacing);
  own.forcing.amplitude = own.forcing_amplitude.value_or(mhd::default_forcing(own.problem.start).amplitude);
  if (own.forcing.amplitude == 0) {
    const char* const needed = "--forcing above 0, or --initial forced";
    if (own.forcing_wave_number) refuse_without("--forcing-wave-number", needed);
    if (own.helicity) refuse_without("--helicity", needed);
  }
  own.forcing.wave_number = own.forcing_wave_number.value_or(own.forcing.wave_number);
  own.forcing.helicity = own.helicity.value_or(own.forcing.helicity);
  if (own.cfl) own.settings.cfl = *own.cfl;
  if (own.cfl_every) own.settings.cfl_every = *own.cfl_every;
  if (own.settings.graph && !own.settings.dt) refuse_without("--graph", "--dt: the graph records the time step");
  if (own.settings.graph && own.forcing.amplitude > 0) {
    refuse_together("--graph", "forcing, which changes in each step; --forcing 0 switches it off");
  }
  if (own.check && own.files.restart) {
    refuse_together("--check", "--restart, as the steps before it may have had another length");
  }
  if (own.check && own.forcing.amplitude > 0) refuse_together("--check", "forcing; --forcing 0 switches it off");
  if (own.problem.start == mhd::Start::random && !own.cfl && !own.settings.dt) own.settings.dt = paper_dt;
}

mhd::Study study_of(const MhdOptions& own, const Options& options) {
  const std::string study_option = "--study";
  if (own.check) refuse_together("--check", study_option);
  if (own.parts) refuse_together("--parts", study_option + ", which always times them");
  if (const auto files = own.files.first_used()) refuse_together(*files, study_option);
  if (own.settings.diagnostics_every > 0) refuse_together("--diagnostics-every", study_option);
  if (own.initial && *own.initial != mhd::Start::random) {
    refuse_together(fmt::format("--initial {}", mhd::start_names[static_cast<std::size_t>(*own.initial)]),
                    study_option);
  }
  if (own.cfl) refuse_together("--cfl", study_option);
  if (own.cfl_every) refuse_together("--cfl-every", study_option);
  if (own.problem.amplitude) refuse_together("--amplitude", study_option);
  if (own.forcing_wave_number) refuse_together("--forcing-wave-number", study_option);
  if (own.helicity) refuse_together("--helicity", study_option);
  if (own.wire) refuse_together("--wire", study_option);
  if (own.try_substeps || own.substeps_per_exchange > 1) refuse_together("--substeps-per-exchange", study_option);
  if (own.communication.paper_scheme) refuse_together("--paper-scheme", study_option);
  if (own.forcing_amplitude) refuse_together("--forcing", study_option);
  if (options.partition || options.node_grid || options.device_grid) {
    refuse_together(options.node_grid     ? "--node-grid"
                    : options.device_grid ? "--device-grid"
                                          : "--partition",
                    study_option + ", which cuts for several numbers of devices");
  }
  mhd::Study study;
  study.kind = *own.study;
  study.sizes = own.sizes.empty() ? std::vector<Vec3>{options.size} : own.sizes;
  study.device_counts = own.device_counts;
  study.order = own.order;
  study.corners = own.corners;
  study.settings = own.settings;
  if (!study.settings.dt) study.settings.dt = paper_dt;
  study.paper = own.paper;
  study.steps = own.steps;
  study.warm_up = own.warm_up;
  study.seed = own.problem.seed;
  study.parameters = own.parameters;
  if (own.imposed_field) study.parameters.imposed_field[0] = *own.imposed_field;
  study.parameters.spacing.fill(own.spacing.value_or(1));
  study.variant = own.variant;
  study.boundary_order = own.communication.boundary_order();
  return study;
}

}  // namespace apps
