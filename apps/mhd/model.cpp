// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "common/in_parallel.hpp"
#include "halocline/error.hpp"
#include "mhd/model_equations.hpp"

namespace mhd {
namespace {

using Real = Model::Real;

/// Closed forms for any order: (-1)^(k+1) (r!)^2 / ((r-k)! (r+k)!) over k for first derivatives, twice that over k^2 for
/// second ones (Fornberg, Math. Comp. 51 (1988) 699, for equidistant points).
Real share(int r, int k) {
  Real value = (k % 2 == 0) ? -1 : 1;
  for (int i = 1; i <= k; ++i) value *= static_cast<Real>(r - k + i) / static_cast<Real>(r + i);
  return value;
}

/// No std::max, which passes over a NaN: one that is there once stays.
template <typename Number>
void raise(Number& to, Number value) {
  if (!(value <= to) && !std::isnan(to)) to = value;
}

/// At the same time: no field's values depend on another's within body.
template <typename Body>
void for_each_field(const Body& body) {
  apps::for_each_in_parallel(0, field_count, [&](std::int64_t i) { body(static_cast<std::size_t>(i)); });
}

}  // namespace

/// Coordinates of a cell's surroundings, wrapped around: [dim][reach + offset], already times the pitch.
struct Model::Neighbours {
  std::array<std::array<std::size_t, 9>, 3> at;
  std::array<std::size_t, 3> centre;
  [[nodiscard]] std::size_t index() const { return centre[0] + centre[1] + centre[2]; }
};

Model::Model(const halocline::Vec3& extent, int order, const Parameters& parameters)
    : extent_(extent), reach_(order / 2), parameters_(parameters) {
  static_cast<void>(stencil(order));  // throws for an order that there is not
  second_.push_back(0);
  for (int k = 1; k <= reach_; ++k) {
    first_.push_back(share(reach_, k) / static_cast<Real>(k));
    second_.push_back(2 * share(reach_, k) / static_cast<Real>(k * k));
    second_[0] -= 2 * second_.back();
  }
  const auto cells = static_cast<std::size_t>(extent.volume());
  for (auto& field : fields_) field.resize(cells);
  for (auto& change : changes_) change.resize(cells);
  for (auto* sizes : {&change_sizes_, &sizes_, &largest_sizes_}) {
    for (auto& of_field : *sizes) of_field.resize(cells);
  }
}

template <typename T>
void Model::start(const InitialValues& values) {
  std::size_t index = 0;
  for (std::int64_t z = 0; z < extent_.z; ++z) {
    for (std::int64_t y = 0; y < extent_.y; ++y) {
      for (std::int64_t x = 0; x < extent_.x; ++x, ++index) {
        const auto here = values({x, y, z});
        for (std::size_t i = 0; i < field_count; ++i) fields_[i][index] = static_cast<Real>(static_cast<T>(here[i]));
      }
    }
  }
}

Model::Neighbours Model::neighbours(const halocline::Vec3& p) const {
  Neighbours found{};
  std::int64_t pitch = 1;
  for (int dim = 0; dim < 3; ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    const std::int64_t n = extent_[dim];
    for (int k = -reach_; k <= reach_; ++k) {
      const std::int64_t wrapped = ((p[dim] + k) % n + n) % n;
      found.at[d][static_cast<std::size_t>(reach_ + k)] = static_cast<std::size_t>(wrapped * pitch);
    }
    found.centre[d] = static_cast<std::size_t>(p[dim] * pitch);
    pitch *= n;
  }
  return found;
}

template <typename Number>
Number Model::value(int field, std::size_t index) const {
  const auto i = static_cast<std::size_t>(field);
  if constexpr (std::is_same_v<Number, Measured>) {
    return {fields_[i][index], sizes_[i][index]};
  } else {
    return fields_[i][index];
  }
}

template <typename Number>
Number Model::first(int field, const Neighbours& at, int dim) const {
  const auto d = static_cast<std::size_t>(dim);
  const std::size_t rest = at.index() - at.centre[d];
  const auto f = [&](int k) { return value<Number>(field, rest + at.at[d][static_cast<std::size_t>(reach_ + k)]); };
  Number sum = 0;
  for (int k = 1; k <= reach_; ++k) sum += first_[static_cast<std::size_t>(k - 1)] * (f(k) - f(-k));
  return sum / static_cast<Real>(parameters_.spacing[d]);
}

/// Along one dimension, or in the plane of two: then the difference of the second derivatives along the diagonals, by 4.
template <typename Number>
Number Model::second(int field, const Neighbours& at, int dim, int other) const {
  const auto d = static_cast<std::size_t>(dim);
  const auto e = static_cast<std::size_t>(other);
  const Real area = static_cast<Real>(parameters_.spacing[d]) * static_cast<Real>(parameters_.spacing[e]);
  const auto weight = [&](int k) { return second_[static_cast<std::size_t>(std::abs(k))]; };
  const auto offset = [&](std::size_t along, int k) { return at.at[along][static_cast<std::size_t>(reach_ + k)]; };
  Number sum = 0;
  if (dim == other) {
    const std::size_t rest = at.index() - at.centre[d];
    for (int k = -reach_; k <= reach_; ++k) sum += weight(k) * value<Number>(field, rest + offset(d, k));
    return sum / area;
  }
  const std::size_t rest = at.index() - at.centre[d] - at.centre[e];
  const auto f = [&](int k, int l) { return value<Number>(field, rest + offset(d, k) + offset(e, l)); };
  for (int k = -reach_; k <= reach_; ++k) {
    if (k != 0) sum += weight(k) * (f(k, k) - f(k, -k));
  }
  return sum / (4 * area);
}

template <typename Number>
std::array<Number, field_count> Model::rates(const halocline::Vec3& p) const {
  const Neighbours at = neighbours(p);
  return rates_from<Number>(
      parameters_, [&](int field) { return value<Number>(field, at.index()); },
      [&](int field, int dim) { return first<Number>(field, at, dim); },
      [&](int field, int dim, int other) { return second<Number>(field, at, dim, other); });
}

std::array<Model::Real, field_count> Model::rates_at(const halocline::Vec3& p) const { return rates<Real>(p); }

/// Fields hold rounding errors of earlier steps. In a value near 0 they are as large as the terms of its sum, but no larger than
/// the rounding error of the field's largest value.
void Model::begin_sizes() {
  for_each_field([&](std::size_t i) {
    Real largest = 0;
    for (const Real f : fields_[i]) largest = std::max(largest, std::fabs(f));
    for (std::size_t cell = 0; cell < fields_[i].size(); ++cell) {
      const auto own = static_cast<double>(std::fabs(fields_[i][cell]));
      sizes_[i][cell] = std::max(own, std::min(sizes_[i][cell], static_cast<double>(largest)));
    }
  });
}

void Model::substep(double dt, Real alpha, Real beta) {
  apps::for_each_in_parallel(0, extent_.z, [&](std::int64_t z) {
    auto index = static_cast<std::size_t>(z * extent_.x * extent_.y);
    for (std::int64_t y = 0; y < extent_.y; ++y) {
      for (std::int64_t x = 0; x < extent_.x; ++x, ++index) {
        const auto rate = rates<Measured>({x, y, z});
        for (std::size_t i = 0; i < field_count; ++i) {
          const Measured change =
              Measured(alpha) * Measured(changes_[i][index], change_sizes_[i][index]) + Measured(dt) * rate[i];
          changes_[i][index] = change.value;
          change_sizes_[i][index] = static_cast<double>(change.size);
        }
      }
    }
  });
  for_each_field([&](std::size_t i) {
    for (std::size_t cell = 0; cell < fields_[i].size(); ++cell) {
      fields_[i][cell] += beta * changes_[i][cell];
      sizes_[i][cell] += static_cast<double>(beta) * change_sizes_[i][cell];
    }
  });
}

void Model::step(double dt) {
  // Of Williamson's table: alpha and beta of the three substeps.
  begin_sizes();
  substep(dt, 0, Real(1) / 3);
  substep(dt, Real(-5) / 9, Real(15) / 16);
  substep(dt, Real(-153) / 128, Real(8) / 15);
  for_each_field([&](std::size_t i) {
    for (std::size_t cell = 0; cell < sizes_[i].size(); ++cell) {
      largest_sizes_[i][cell] = std::max(largest_sizes_[i][cell], sizes_[i][cell]);
    }
  });
}

template <typename T>
Distance distance(const Model::Field& model, const std::vector<double>& sizes, const std::vector<T>& candidate) {
  if (model.size() != candidate.size() || model.size() != sizes.size())
    throw halocline::InternalError("mhd: fields of different sizes are compared");
  Distance found;
  found.cells = static_cast<std::int64_t>(model.size());
  Real largest = 0;
  Real most = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Real m = model[i];
    const Real away = std::fabs(m - static_cast<Real>(candidate[i]));
    raise(largest, std::fabs(m));
    raise(most, away);
    const Real rounding = static_cast<Real>(sizes[i]) * std::numeric_limits<T>::epsilon();
    raise(found.roundings, away == 0 ? 0.0 : static_cast<double>(away / rounding));
    if (m == 0) {
      raise(found.absolute, static_cast<double>(away));
      continue;
    }
    const Real ulp = std::ldexp(Real(1), std::ilogb(m) - std::numeric_limits<T>::digits + 1);
    raise(found.ulps, static_cast<double>(away / ulp));
    if (!(away <= 2 * ulp)) ++found.beyond;
  }
  found.scaled = largest > 0 ? static_cast<double>(most / largest) : static_cast<double>(most);
  found.largest = static_cast<double>(largest);
  return found;
}

Distance both(const Distance& a, const Distance& b) {
  const auto most = [](const Distance& d) { return d.largest > 0 ? d.scaled * d.largest : d.scaled; };
  Distance found = a;
  found.cells += b.cells;
  found.beyond += b.beyond;
  raise(found.ulps, b.ulps);
  raise(found.absolute, b.absolute);
  raise(found.roundings, b.roundings);
  raise(found.largest, b.largest);
  found.scaled = most(a);
  raise(found.scaled, most(b));
  if (found.largest > 0) found.scaled /= found.largest;
  return found;
}

template void Model::start<float>(const InitialValues&);
template void Model::start<double>(const InitialValues&);
template Distance distance<float>(const Model::Field&, const std::vector<double>&, const std::vector<float>&);
template Distance distance<double>(const Model::Field&, const std::vector<double>&, const std::vector<double>&);

}  // namespace mhd
