#include "mhd/check.hpp"

#include <algorithm>
#include <limits>

#include "common/patience.hpp"

namespace mhd {
namespace {

constexpr double allowed_ulps = 2;
/// Roundings of a step, one after the other, as a part of the largest value.
constexpr double roundings_of_step = 64;

}  // namespace

bool Check::passed() const {
  return std::all_of(of.begin(), of.end(), [this](const Distance& d) {
    const bool near = by_ulps ? d.ulps <= allowed_ulps && d.absolute <= 0 : d.scaled <= allowed;
    return d.cells > 0 && near;
  });
}

template <typename T>
Check check(halocline::Domain& domain, Solver<T>& solver, const Parameters& parameters, int order,
            const InitialValues& start, bool random, std::int64_t steps, double dt) {
  auto& comm = domain.comm();
  const apps::Patience patience(comm);
  const bool root = comm.rank().value() == 0;
  Check result;
  result.by_ulps = random && steps == 1;
  result.allowed =
      roundings_of_step * static_cast<double>(steps) * static_cast<double>(std::numeric_limits<T>::epsilon());
  std::unique_ptr<Model> model;
  halocline::comm::agree_on(comm, [&] {
    if (!root) return;
    model = std::make_unique<Model>(domain.geometry().partition.extent(), order, parameters);
    model->start<T>(start);
    for (std::int64_t i = 0; i < steps; ++i) model->step(dt);
  });
  for (int i = 0; i < field_count; ++i) {
    const std::vector<T> found = solver.gather(i);
    Distance& distance = result.of[static_cast<std::size_t>(i)];
    if (root) distance = mhd::distance<T>(model->field(i), found);
    using halocline::comm::Reduction;
    distance.cells = comm.all_reduce(distance.cells, Reduction::max);
    for (double* value : {&distance.ulps, &distance.absolute, &distance.scaled}) {
      *value = comm.all_reduce(*value, Reduction::max);
    }
    distance.beyond = comm.all_reduce(distance.beyond, Reduction::max);
  }
  return result;
}

template Check check<float>(halocline::Domain&, Solver<float>&, const Parameters&, int, const InitialValues&, bool,
                            std::int64_t, double);
template Check check<double>(halocline::Domain&, Solver<double>&, const Parameters&, int, const InitialValues&, bool,
                             std::int64_t, double);

}  // namespace mhd
