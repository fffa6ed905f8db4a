// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/check.hpp"
#include "domain/internals.hpp"

#include <algorithm>
#include <memory>

#include "comm/agree.hpp"
#include "comm/patience.hpp"

namespace mhd {

bool Check::passed() const {
  // No value that is not a number is within anything.
  return std::all_of(of.begin(), of.end(),
                     [this](const Distance& d) { return d.cells > 0 && d.roundings <= allowed(); });
}

bool Check::within_two_ulp() const {
  return std::all_of(of.begin(), of.end(),
                     [](const Distance& d) { return d.cells > 0 && d.ulps <= 2 && d.absolute <= 0; });
}

template <typename T>
Check check(halocline::Domain& domain, Solver<T>& solver, const Parameters& parameters, int order,
            const InitialValues& start, std::span<const Stretch> stretches) {
  auto comm = domain.plan().comm;
  const halocline::comm::Patience patience(comm);
  const bool root = comm.rank().value() == 0;
  Check result;
  for (const Stretch& stretch : stretches) result.steps += stretch.steps;
  std::unique_ptr<Model> model;
  halocline::comm::agree_on(comm, [&] {
    if (!root) return;
    model = std::make_unique<Model>(internals(domain).geometry().partition.extent(), order, parameters);
    model->start<T>(start);
    for (const Stretch& stretch : stretches) {
      for (std::int64_t i = 0; i < stretch.steps; ++i) model->step(stretch.dt);
    }
  });
  for (int i = 0; i < field_count; ++i) {
    const std::vector<T> found = solver.gather(i);
    Distance& distance = result.of[static_cast<std::size_t>(i)];
    if (root) distance = mhd::distance<T>(model->field(i), model->sizes(i), found);
    using halocline::comm::Reduction;
    distance.cells = comm.all_reduce(distance.cells, Reduction::max);
    for (double* value : {&distance.ulps, &distance.absolute, &distance.scaled, &distance.roundings}) {
      *value = comm.all_reduce(*value, Reduction::max);
    }
    distance.beyond = comm.all_reduce(distance.beyond, Reduction::max);
  }
  return result;
}

template Check check<float>(halocline::Domain&, Solver<float>&, const Parameters&, int, const InitialValues&,
                            std::span<const Stretch>);
template Check check<double>(halocline::Domain&, Solver<double>&, const Parameters&, int, const InitialValues&,
                             std::span<const Stretch>);

}  // namespace mhd
