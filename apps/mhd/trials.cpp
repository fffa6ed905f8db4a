// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/trials.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "common/realized_if_it_fits.hpp"
#include "halocline/error.hpp"

namespace mhd {
namespace {

constexpr int tried[] = {1, 2, 3, 6};
/// Whole numbers of each of them, and of cycles of the buffers.
constexpr std::int64_t steps_of_run = 4;
/// The first does not count.
constexpr int turns = 3;
constexpr int overlap_repeats = 3;
constexpr int variant_repeats = 3;

template <typename T>
double time_of_step(Solver<T>& solver, const Settings& settings) {
  Settings some;
  some.steps = steps_of_run;
  some.dt = 0;
  some.graph = settings.graph;
  some.overlap = settings.overlap ? *settings.overlap : solver.try_overlap(overlap_repeats);
  double fastest = std::numeric_limits<double>::max();
  for (int turn = 0; turn < turns; ++turn) {
    const Result result = solver.run(some);
    if (turn > 0) fastest = std::min(fastest, result.total_seconds / static_cast<double>(some.steps));
  }
  return fastest;
}

template <typename T>
void choose(Solver<T>& solver, const Updates& updates) {
  solver.choose_boundary_order(updates.boundary_order);
  if (updates.variant == "auto") {
    static_cast<void>(solver.try_variants(variant_repeats));
  } else if (updates.variant) {
    solver.choose_variant(*updates.variant);
  }
}

}  // namespace

template <typename T>
std::vector<SubstepTrial> try_substeps_per_exchange(const halocline::Vec3& extent, const halocline::Stencil& sent,
                                                    halocline::comm::RankGroup& comm,
                                                    const halocline::DomainOptions& options, const Updates& updates,
                                                    const Settings& settings) {
  std::vector<SubstepTrial> trials;
  for (const int substeps : tried) {
    if (updates.wire && Williamson::substeps % substeps != 0) continue;
    halocline::DomainOptions with = options;
    with.steps_per_exchange = substeps;
    with.slow_paths = false;
    halocline::Domain domain(extent, sent, comm, with);
    const auto state = add_fields<T>(domain, updates.wire);
    if (substeps == 1) {
      domain.realize();  // throws where not even this fits
    } else if (!apps::realized_if_it_fits(domain)) {
      break;
    }
    try {
      Solver<T> solver(domain, state, updates.parameters, updates.order, updates.forcing);
      choose(solver, updates);
      solver.initialise([](const halocline::Vec3&) { return std::array<double, field_count>{}; });  // steps of length 0
      trials.push_back({substeps, time_of_step(solver, settings)});
    } catch (const halocline::InvalidArgument&) {
      domain.close();  // all ranks throw the same
      throw;
    } catch (const halocline::ResourceError&) {
      domain.close();  // the same: a solver's memory is agreed on
      if (substeps == 1) throw;
      break;
    }
    domain.close();
  }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const SubstepTrial& a, const SubstepTrial& b) { return a.step < b.step; });
  return trials;
}

template std::vector<SubstepTrial> try_substeps_per_exchange<float>(const halocline::Vec3&, const halocline::Stencil&,
                                                                    halocline::comm::RankGroup&,
                                                                    const halocline::DomainOptions&, const Updates&,
                                                                    const Settings&);
template std::vector<SubstepTrial> try_substeps_per_exchange<double>(const halocline::Vec3&, const halocline::Stencil&,
                                                                     halocline::comm::RankGroup&,
                                                                     const halocline::DomainOptions&, const Updates&,
                                                                     const Settings&);

}  // namespace mhd
