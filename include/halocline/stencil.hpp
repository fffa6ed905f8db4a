// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>

#include "halocline/direction.hpp"

namespace [[gnu::visibility("default")]] halocline {

/// Which side of a dimension: the one with smaller or with larger coordinates.
enum class Side : int { lower = 0, upper = 1 };

/// What a step reads around a cell: its radius on each of the six sides, in cells, and which of the 12 edges and 8 corners.
///
/// A direction that is off, or whose face has radius 0, is never sent. An edge or corner that is on next to a face of radius 0
/// is an error, because the stencil would read cells that do not exist.
class Stencil {
 public:
  /// Nothing is read.
  Stencil() = default;

  /// r cells on all sides, edges and corners on. Throws InvalidArgument for r < 0.
  static Stencil box(std::int64_t r);
  /// rx, ry, rz cells on both sides of x, y, z; edges and corners on where all their faces are not 0.
  static Stencil box(std::int64_t rx, std::int64_t ry, std::int64_t rz);
  /// Cells below and above in each dimension; edges and corners on where all their faces are not 0.
  static Stencil per_side(const Vec3& lower, const Vec3& upper);
  /// r cells on all six sides, edges and corners off, such as the 7-point stencil.
  static Stencil star(std::int64_t r);

  /// The same stencil with all edges (order 2) or corners (order 3) off.
  [[nodiscard]] Stencil without_edges() const;
  [[nodiscard]] Stencil without_corners() const;
  /// The same stencil, which reads nothing along a dimension: its faces, edges and corners on both sides off.
  [[nodiscard]] Stencil without_dimension(int dim) const;
  /// The same stencil with one edge or corner on or off. Throws InvalidArgument for a face, and to switch it on next to one of radius 0.
  [[nodiscard]] Stencil with(Direction d, bool on) const;

  /// Cells read beyond one face.
  [[nodiscard]] std::int64_t face(int dim, Side side) const { return side == Side::lower ? lower_[dim] : upper_[dim]; }
  /// Cells read below (above) in each dimension.
  [[nodiscard]] const Vec3& lower() const { return lower_; }
  [[nodiscard]] const Vec3& upper() const { return upper_; }
  /// Whether the halo on side d is read.
  [[nodiscard]] bool reads(Direction d) const { return on_[static_cast<std::size_t>(d.index())]; }
  /// Whether nothing is read at all.
  [[nodiscard]] bool none() const { return on_.none(); }
  /// Widths of the halo box on side d; 0 in the dimensions in which d is 0.
  [[nodiscard]] Vec3 width(Direction d) const;

  friend bool operator==(const Stencil&, const Stencil&) = default;

 private:
  Vec3 lower_;
  Vec3 upper_;
  std::bitset<26> on_;
};

/// "3", "x 1|2 y 3 z 0, no corners"
[[nodiscard]] std::string to_string(const Stencil& stencil);

}  // namespace halocline
