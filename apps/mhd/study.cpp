// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/study.hpp"
#include "domain/internals.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/patience.hpp"
#include "halocline/devices.hpp"
#include "halocline/error.hpp"
#include "machine/names.hpp"

namespace mhd {
namespace {

using halocline::comm::RankGroup;
using halocline::comm::Reduction;
using halocline::machine::Power;
using halocline::machine::PowerSource;

/// Repeats of what is timed alone, and of a trial.
constexpr int part_repeats = 10;
constexpr int trial_repeats = 3;

/// The fewest devices that a rank can have. Collective.
int available_devices(RankGroup& world, const halocline::DomainOptions& options) {
  const auto node = world.split_by_node(options.machine.ranks_per_node);
  const int ranks_on_node = node->size();
  node->close();
  const auto backend = halocline::make_devices(world,
                                               {.kind = options.devices.kind,
                                                .per_rank = options.devices.per_rank,
                                                .host_workers = options.devices.host_workers},
                                               ranks_on_node)
                           .backend();
  return static_cast<int>(world.all_reduce(std::int64_t{backend->device_count()}, Reduction::min));
}

/// Of all ranks together. Collective.
Power of_all_ranks(RankGroup& comm, const Power& mine) {
  struct Told {
    double watts;
    PowerSource source;
  };
  Power all{0, PowerSource::counted, {}};
  for (const Told& told : halocline::comm::gather_value(comm, Told{mine.watts, mine.source})) {
    all =
        sum(all, {told.watts, told.source, told.source == mine.source ? mine.why_not : "another rank knows no better"});
  }
  return all;
}

template <typename T>
void time_steps(Solver<T>& solver, halocline::Domain& domain, Settings settings, StudyRow& row) {
  if (row.of.host) settings.overlap = false;  // there is no other rank to wait for
  row.overlapped = settings.overlap ? *settings.overlap : solver.try_overlap(trial_repeats);
  settings.overlap = row.overlapped;
  settings.warm_up = 0;
  settings.diagnostics_every = 0;
  if (row.of.warm_up > 0) {
    settings.steps = row.of.warm_up;
    static_cast<void>(solver.run(settings));
  }
  settings.steps = row.of.steps;
  const auto meter = halocline::machine::make_power_meter(internals(domain).backend());
  meter->start();
  const Result result = solver.run(settings, [&meter](std::int64_t, std::int64_t) { meter->sample(); });
  row.power = of_all_ranks(domain.plan().comm, meter->stop());
  row.step = result.median_step_seconds;
  const auto [fastest, slowest] = std::minmax_element(result.step_seconds.begin(), result.step_seconds.end());
  row.fastest = *fastest;
  row.slowest = *slowest;
}

std::string grid_text(const halocline::partition::Partition& partition) {
  const halocline::Vec3 grid = partition.grid();
  return fmt::format("{}x{}x{}", grid.x, grid.y, grid.z);
}

/// On the ranks of a group. of_update: seconds of the model's computation of a cell; unset where this case is to tell.
template <typename T>
StudyRow measure(RankGroup& group, const Study& study, const StudyCase& of, const halocline::DomainOptions& options,
                 std::optional<double> of_update) {
  StudyRow row;
  row.of = of;
  row.ranks = group.size();
  const auto sent = of.corners ? halocline::Stencil::box(of.order / 2) : stencil(of.order);
  halocline::Domain domain(of.size, sent, group, options);
  const auto state = add_fields<T>(domain);
  domain.realize();
  {
    Solver<T> solver(domain, state, study.parameters, of.order);
    if (study.variant && *study.variant != "auto" && !of.host) solver.choose_variant(*study.variant);
    solver.choose_boundary_order(study.boundary_order);
    Problem problem;
    problem.seed = study.seed;
    solver.initialise(initial_values(problem, of.size, study.parameters));
    if (study.variant == "auto") static_cast<void>(solver.try_variants(trial_repeats));
    time_steps(solver, domain, study.settings, row);
    row.parts = solver.time_parts(part_repeats);
    row.prediction = predict(domain, of.order, row.parts, of_update);
  }
  row.backend = to_string(internals(domain).backend().kind());
  row.grid = grid_text(internals(domain).geometry().partition);
  domain.close();
  return row;
}

/// Runs work on a group of the first ranks, and waits for it on the others. Collective.
void on_first_ranks(RankGroup& world, int ranks, halocline::Duration timeout,
                    const std::function<void(RankGroup&)>& work) {
  if (ranks == world.size()) return work(world);
  const int rank = static_cast<int>(world.rank().value());
  const bool takes_part = rank < ranks;
  const auto group = world.split(takes_part ? 0 : 1, rank);
  group->set_timeout(timeout);
  try {
    halocline::comm::agree_on(world, [&] {
      if (takes_part) work(*group);
    });
  } catch (const halocline::Error&) {
    if (!group->poisoned()) group->close();
    throw;
  }
  group->close();
}

}  // namespace

template <typename T>
std::vector<StudyRow> run_study(RankGroup& world, const Study& study,
                                const std::function<void(const std::vector<StudyRow>&)>& done) {
  if (!study.settings.dt) {
    throw halocline::InvalidArgument("mhd: a study's dt is not set; allowed is a number, the same for all cases");
  }
  const int available = available_devices(world, study.options);
  const auto cases = cases_of(study, world.size(), available);
  const halocline::comm::Patience patience(world);  // a case on few devices takes as long as it takes
  std::vector<StudyRow> rows;
  std::vector<double> of_update(cases.size(), 0);  // by series
  for (const StudyCase& of : cases) {
    const StudyShare share = of.host ? StudyShare{} : share_of(of.devices, world.size(), available).value();
    halocline::DomainOptions options = study.options;
    options.devices.per_rank = share.devices_per_rank;
    if (of.host) options.devices.kind = halocline::DeviceKind::host;
    double& pi = of_update[static_cast<std::size_t>(of.series)];
    StudyRow row;
    on_first_ranks(world, share.ranks, study.options.timeout, [&](RankGroup& group) {
      row = measure<T>(group, study, of, options, pi > 0 ? std::optional(pi) : std::nullopt);
    });
    pi = world.all_reduce(row.prediction.seconds_per_update, Reduction::max);
    if (row.ranks == 0) continue;  // this rank waited
    rows.push_back(std::move(row));
    if (done && world.rank().value() == 0) done(rows);
  }
  return rows;
}

template std::vector<StudyRow> run_study<float>(RankGroup&, const Study&,
                                                const std::function<void(const std::vector<StudyRow>&)>&);
template std::vector<StudyRow> run_study<double>(RankGroup&, const Study&,
                                                 const std::function<void(const std::vector<StudyRow>&)>&);

}  // namespace mhd
