#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mhd/parameters.hpp"
#include "mhd/problem.hpp"

namespace mhd {

/// The same equations without Halocline: whole arrays, one thread, 80-bit numbers, differences written for themselves. The
/// solution that others are measured against.
class Model {
 public:
  using Real = long double;
  using Field = std::vector<Real>;  ///< x fastest

  Model(const halocline::Vec3& extent, int order, const Parameters& parameters);

  /// Rounded to T first, as a solver's fields are.
  template <typename T>
  void start(const InitialValues& values);
  /// Williamson's scheme with a register of its own.
  void step(double dt);
  [[nodiscard]] const Field& field(int index) const { return fields_[static_cast<std::size_t>(index)]; }
  /// What one cell's fields change by in a unit of time.
  [[nodiscard]] std::array<Real, field_count> rates_at(const halocline::Vec3& p) const;

 private:
  struct Neighbours;
  [[nodiscard]] Neighbours neighbours(const halocline::Vec3& p) const;
  [[nodiscard]] Real first(const Field& f, const Neighbours& at, int dim) const;
  [[nodiscard]] Real second(const Field& f, const Neighbours& at, int dim, int other) const;

  halocline::Vec3 extent_;
  int reach_;
  Parameters parameters_;
  std::vector<Real> first_;   ///< weights of a spacing of 1, of cells 1, 2, ... away
  std::vector<Real> second_;  ///< the same, and [0] of the cell itself
  std::array<Field, field_count> fields_;
  std::array<Field, field_count> changes_;
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
};
template <typename T>
[[nodiscard]] Distance distance(const Model::Field& model, const std::vector<T>& candidate);

}  // namespace mhd
