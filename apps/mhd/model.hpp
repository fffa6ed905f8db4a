// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mhd/parameters.hpp"
#include "mhd/problem.hpp"

namespace mhd {

/// The same equations without Halocline: whole arrays, 80-bit numbers, differences written for themselves; a cell's bits do not
/// depend on the number of threads. The solution that others are measured against.
class Model {
 public:
  using Real = long double;
  using Field = std::vector<Real>;  ///< x fastest

  Model(const halocline::Vec3& extent, int order, const Parameters& parameters);

  /// Rounded to T first, as a solver's fields are.
  template <typename T>
  void start(const InitialValues& values);
  /// Williamson's scheme with a separate register.
  void step(double dt);
  [[nodiscard]] const Field& field(int index) const { return fields_[static_cast<std::size_t>(index)]; }
  /// What a cell's value was added up from, at its largest of all steps so far: |f| and all terms of a step's change (of the
  /// equations, of differences, of substeps) without their signs. Rounding errors of a step are a few times T's epsilon of it.
  [[nodiscard]] const std::vector<double>& sizes(int index) const {
    return largest_sizes_[static_cast<std::size_t>(index)];
  }
  /// What one cell's fields change by in a unit of time.
  [[nodiscard]] std::array<Real, field_count> rates_at(const halocline::Vec3& p) const;

 private:
  struct Neighbours;
  [[nodiscard]] Neighbours neighbours(const halocline::Vec3& p) const;
  template <typename Number>
  [[nodiscard]] std::array<Number, field_count> rates(const halocline::Vec3& p) const;
  template <typename Number>
  [[nodiscard]] Number value(int field, std::size_t index) const;
  template <typename Number>
  [[nodiscard]] Number first(int field, const Neighbours& at, int dim) const;
  template <typename Number>
  [[nodiscard]] Number second(int field, const Neighbours& at, int dim, int other) const;
  void begin_sizes();
  void substep(double dt, Real alpha, Real beta);

  halocline::Vec3 extent_;
  int reach_;
  Parameters parameters_;
  std::vector<Real> first_;   ///< weights of a spacing of 1, of cells 1, 2, ... away
  std::vector<Real> second_;  ///< the same, and [0] of the cell itself
  std::array<Field, field_count> fields_;
  std::array<Field, field_count> changes_;
  std::array<std::vector<double>, field_count> change_sizes_;
  std::array<std::vector<double>, field_count> sizes_;  ///< as of now
  std::array<std::vector<double>, field_count> largest_sizes_;
};

/// How far values are from a model's.
struct Distance {
  std::int64_t cells = 0;
  /// Largest |m - c| in units of the last place of m in T (Pekkilä et al., Eqs. 15 and 16), of cells whose model value is
  /// not 0.
  double ulps = 0;
  std::int64_t beyond = 0;  ///< of them, how many are more than 2 ulp away
  double absolute = 0;      ///< largest |m - c| of cells whose model value is 0
  double scaled = 0;        ///< largest |m - c| over the largest |m|, of all cells
  double largest = 0;       ///< largest |m|
  /// Largest |m - c| in roundings: T's epsilon times the cell's size (Model::sizes()). As dt tends to 0 that is a unit in the
  /// last place of the value; otherwise one of the terms that a step adds to it, so that values near 0 count fairly.
  double roundings = 0;
};
template <typename T>
[[nodiscard]] Distance distance(const Model::Field& model, const std::vector<double>& sizes,
                                const std::vector<T>& candidate);
/// Of two parts of the cells together.
[[nodiscard]] Distance both(const Distance& a, const Distance& b);

}  // namespace mhd
