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
  constexpr std::int64_t most = std::int64_t{1} << 40;
  add_integer(command, "--steps", "N", "that are timed (default 100)", own.steps, 1, most)->group(group);
  add_integer(command, "--warm-up", "N", "steps before them (default 0; 10 with --study)", own.warm_up, 0, most)
      ->group(group);
  add_integer(command, "--diagnostics-every", "N", "steps between diagnostics (default 0: only after the last)",
              settings.diagnostics_every, 0, most)
      ->group(group);
  add_integer(command, "--cfl-every", "N", "steps between two looks at the limits of the time step (default 10)",
              settings.cfl_every, 1, most)
      ->group(group);
  add_word(
      command, "--dt", "T",
      "fixed time step (default: from --cfl; of random fields, which no time step from waves keeps finite, 1.19209e-7)",
      [&settings](const auto& name, const auto& word) { settings.dt = parse_number(name, word, 0, 1e6); })
      ->group(group);
  add_positive(command, "--cfl", "C", "part of the time that the fastest wave takes through a cell (default 0.4)",
               own.cfl, 1)
      ->group(group);
  add_choice(command, "--order", "K", "of the differences: 2, 4, 6 (default), 8", own.order, order_choices())
      ->group(group);
  add_choice(command, "--precision", "TYPE", "f64 (default) or f32", own.singles,
             Choices<bool>{{"f64", false}, {"f32", true}})
      ->group(group);
  add_choice(command, "--initial", "NAME", "random (default), sound-wave, alfven-wave, orszag-tang, decaying, forced",
             own.problem.start, named<mhd::Start>(mhd::start_names))
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
    add_flag(command, name, meaning, std::move(set))->group(group);
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
  flag("--check",
       "compare with a model solution of one core without Halocline; exit code 1 where a value differs by more than 2 "
       "roundings a step of what the step adds up in its cell",
       [&own] { own.check = true; });
  add_mhd_communication_options(command, group, own.communication);
  add_text(command, "--variant", "NAME", "of the kernel: a name, or auto: try all, print them, take the fastest",
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
  add_text(command, "--csv", "FILE", "write a line a case", own.csv)->group(group);
}

/// The paper's benchmark: 100 steps first, 1,000 timed, or 100 of large domains; random fields and a tiny step.
void follow_paper(MhdOptions& own, const Vec3& size) {
  own.problem.start = mhd::Start::random;
  own.settings.dt = paper_dt;
  std::tie(own.settings.warm_up, own.settings.steps) = mhd::paper_steps(size);
}

/// A flag that would count for nothing is refused.
void refuse_study_flags(const MhdOptions& own) {
  const std::string allowed = "together with --study";
  if (!own.sizes.empty()) refuse("--sizes", "given", allowed);
  if (!own.device_counts.empty()) refuse("--device-counts", "given", allowed);
  if (own.csv) refuse("--csv", *own.csv, allowed);
}

}  // namespace

void add_mhd_options(CLI::App& command, MhdOptions& own) {
  add_step_options(command, own);
  add_fluid_options(command, own);
  add_way_options(command, own);
  add_study_options(command, own);
}

void complete(MhdOptions& own, const Vec3& size) {
  if (own.paper) follow_paper(own, size);
  if (own.steps) own.settings.steps = *own.steps;
  if (own.warm_up) own.settings.warm_up = *own.warm_up;
  refuse_study_flags(own);
  own.parameters = mhd::adapted(own.parameters, own.problem.start);
  own.parameters.spacing = mhd::default_spacing(size);
  // Nothing is said about the cells of the paper's random fields: they are 1 wide.
  if (own.problem.start == mhd::Start::random) own.parameters.spacing = {1, 1, 1};
  if (own.spacing) own.parameters.spacing.fill(*own.spacing);
  own.forcing.amplitude = own.forcing_amplitude.value_or(mhd::default_forcing(own.problem.start).amplitude);
  if (own.cfl) own.settings.cfl = *own.cfl;
  if (own.settings.graph && !own.settings.dt)
    refuse("--graph", "on", "together with --dt, as it is part of what is recorded");
  if (own.settings.graph && own.forcing.amplitude > 0) {
    refuse("--graph", "on", "without forcing (--forcing 0), which is another wave in each step");
  }
  if (own.check && own.forcing.amplitude > 0) refuse("--check", "on", "without forcing (--forcing 0)");
  if (own.problem.start == mhd::Start::random && !own.cfl && !own.settings.dt) own.settings.dt = paper_dt;
}

mhd::Study study_of(const MhdOptions& own, const Options& options) {
  const std::string alone = "without --study";
  if (own.check) refuse("--check", "on", alone);
  if (own.parts) refuse("--parts", "on", alone + ", which always times them");
  if (own.settings.diagnostics_every > 0) {
    refuse("--diagnostics-every", fmt::format("{}", own.settings.diagnostics_every), alone);
  }
  if (own.problem.start != mhd::Start::random) {
    refuse("--initial", mhd::start_names[static_cast<std::size_t>(own.problem.start)], "random together with --study");
  }
  if (own.communication.paper_scheme) refuse("--paper-scheme", "on", alone);
  if (own.forcing_amplitude) refuse("--forcing", fmt::format("{}", *own.forcing_amplitude), alone);
  if (options.partition || options.node_grid || options.device_grid) {
    refuse("--partition", "given", alone + ", which cuts for several numbers of devices");
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
  study.parameters.spacing.fill(own.spacing.value_or(1));
  study.variant = own.variant;
  study.boundary_order = own.communication.boundary_order();
  return study;
}

}  // namespace apps
