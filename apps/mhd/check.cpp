// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/check.hpp"
#include "domain/internals.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "comm/agree.hpp"
#include "comm/patience.hpp"
#include "mhd/runge_kutta.hpp"

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

namespace {

/// Planes of the model's solution, [lo, hi) of the domain, which it computes with `margin` more on either side; all of the domain
/// where these would reach around it.
class Planes {
 public:
  Planes(const halocline::Vec3& extent, std::int64_t lo, std::int64_t hi, std::int64_t margin, int order,
         const Parameters& parameters)
      : extent_(extent), lo_(lo), hi_(hi) {
    const bool whole = hi - lo + 2 * margin >= extent.z;
    first_ = whole ? 0 : lo - margin;
    model_.emplace(halocline::Vec3{extent.x, extent.y, whole ? extent.z : hi - lo + 2 * margin}, order, parameters);
  }
  template <typename T>
  void solve(const InitialValues& start, std::span<const Stretch> stretches) {
    model_->start<T>([&](const halocline::Vec3& p) {
      return start({p.x, p.y, (p.z + first_ + extent_.z) % extent_.z});
    });
    for (const Stretch& stretch : stretches) {
      for (std::int64_t i = 0; i < stretch.steps; ++i) model_->step(stretch.dt);
    }
  }
  /// found: the planes' values.
  template <typename T>
  [[nodiscard]] Distance distance(int field, const std::vector<T>& found) const {
    return mhd::distance<T>(part_of(model_->field(field)), part_of(model_->sizes(field)), found);
  }

 private:
  template <typename Number>
  [[nodiscard]] std::vector<Number> part_of(const std::vector<Number>& all) const {
    const std::int64_t plane = extent_.x * extent_.y;
    return {all.begin() + (lo_ - first_) * plane, all.begin() + (hi_ - first_) * plane};
  }

  halocline::Vec3 extent_;
  std::int64_t lo_;
  std::int64_t hi_;
  std::int64_t first_ = 0;  ///< of the model's planes
  std::optional<Model> model_;
};

/// How far in z a cell's value depends on others after so many steps: each substep reads as far as a difference does.
std::int64_t reach_of(int order, std::int64_t steps) {
  constexpr std::int64_t far = std::int64_t{1} << 30;
  return std::min(far, steps) * Williamson::substeps * (order / 2);
}

}  // namespace

template <typename T>
Check check(halocline::Domain& domain, Solver<T>& solver, const Parameters& parameters, int order,
            const InitialValues& start, std::span<const Stretch> stretches, std::int64_t planes) {
  auto comm = domain.plan().comm;
  const halocline::comm::Patience patience(comm);
  const bool root = comm.rank().value() == 0;
  Check result;
  for (const Stretch& stretch : stretches) result.steps += stretch.steps;
  const halocline::Vec3 extent = internals(domain).geometry().partition.extent();
  const std::int64_t margin = reach_of(order, result.steps);
  if (planes + 2 * margin >= extent.z) planes = extent.z;
  for (std::int64_t lo = 0; lo < extent.z; lo += planes) {
    const std::int64_t hi = std::min(lo + planes, extent.z);
    std::optional<Planes> model;
    halocline::comm::agree_on(comm, [&] {
      if (!root) return;
      model.emplace(extent, lo, hi, margin, order, parameters);
      model->template solve<T>(start, stretches);
    });
    for (int i = 0; i < field_count; ++i) {
      const std::vector<T> found = solver.gather(i, {{0, 0, lo}, {extent.x, extent.y, hi}});
      Distance& distance = result.of[static_cast<std::size_t>(i)];
      if (root) distance = both(distance, model->distance(i, found));
    }
  }
  for (Distance& distance : result.of) {
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
                            std::span<const Stretch>, std::int64_t);
template Check check<double>(halocline::Domain&, Solver<double>&, const Parameters&, int, const InitialValues&,
                             std::span<const Stretch>, std::int64_t);

}  // namespace mhd
