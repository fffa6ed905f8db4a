// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/radius.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline {

Radius Radius::per_side(const Vec3& lower, const Vec3& upper) {
  Radius radius;
  for (int dim = 0; dim < 3; ++dim) {
    for (const std::int64_t r : {lower[dim], upper[dim]}) {
      if (r < 0) throw InvalidArgument(fmt::format("radius is {}; allowed is 0 or more", r));
    }
  }
  radius.lower_ = lower;
  radius.upper_ = upper;
  for (const Direction d : all_directions) {
    bool on = true;
    for (int dim = 0; dim < 3; ++dim) {
      if (d[dim] != 0) on = on && radius.face(dim, d[dim] < 0 ? Side::lower : Side::upper) > 0;
    }
    radius.on_.set(static_cast<std::size_t>(d.index()), on);
  }
  return radius;
}

Radius Radius::per_dimension(std::int64_t rx, std::int64_t ry, std::int64_t rz) {
  return per_side({rx, ry, rz}, {rx, ry, rz});
}

Radius Radius::uniform(std::int64_t r) { return per_dimension(r, r, r); }

Radius Radius::faces(std::int64_t r) { return uniform(r).without_edges().without_corners(); }

Radius Radius::without_edges() const {
  Radius radius = *this;
  for (const Direction d : all_directions) {
    if (d.order() == 2) radius.on_.reset(static_cast<std::size_t>(d.index()));
  }
  return radius;
}

Radius Radius::without_corners() const {
  Radius radius = *this;
  for (const Direction d : all_directions) {
    if (d.order() == 3) radius.on_.reset(static_cast<std::size_t>(d.index()));
  }
  return radius;
}

Radius Radius::without_dimension(int dim) const {
  Radius radius = *this;
  radius.lower_[dim] = radius.upper_[dim] = 0;
  for (const Direction d : all_directions) {
    if (d[dim] != 0) radius.on_.reset(static_cast<std::size_t>(d.index()));
  }
  return radius;
}

Radius Radius::with(Direction d, bool on) const {
  if (d.order() == 1) {
    throw InvalidArgument(fmt::format(
        "direction is {}, a face; allowed are edges and corners (a face is off where its radius is 0)", to_string(d)));
  }
  Radius radius = *this;
  for (int dim = 0; dim < 3; ++dim) {
    if (on && d[dim] != 0 && face(dim, d[dim] < 0 ? Side::lower : Side::upper) == 0) {
      throw InvalidArgument(
          fmt::format("direction {} is switched on beside a face of radius 0 in dimension {}; allowed are "
                      "directions whose faces all have a radius of 1 or more",
                      to_string(d), "xyz"[dim]));
    }
  }
  radius.on_.set(static_cast<std::size_t>(d.index()), on);
  return radius;
}

Vec3 Radius::width(Direction d) const {
  Vec3 width;
  for (int dim = 0; dim < 3; ++dim) {
    if (d[dim] != 0) width[dim] = face(dim, d[dim] < 0 ? Side::lower : Side::upper);
  }
  return width;
}

std::string to_string(const Radius& radius) {
  const Vec3& lo = radius.lower();
  const Vec3& hi = radius.upper();
  std::string text;
  if (lo == hi && lo.x == lo.y && lo.y == lo.z) {
    text = fmt::format("{}", lo.x);
  } else {
    for (int dim = 0; dim < 3; ++dim) {
      text += fmt::format("{}{} {}", dim == 0 ? "" : " ", "xyz"[dim], lo[dim]);
      if (lo[dim] != hi[dim]) text += fmt::format("|{}", hi[dim]);
    }
  }
  int edges = 0;
  int corners = 0;
  int edges_possible = 0;
  int corners_possible = 0;
  const Radius full = Radius::per_side(lo, hi);
  for (const Direction d : all_directions) {
    (d.order() == 2 ? edges : corners) += d.order() > 1 && radius.reads(d) ? 1 : 0;
    (d.order() == 2 ? edges_possible : corners_possible) += d.order() > 1 && full.reads(d) ? 1 : 0;
  }
  const auto describe = [&text](const char* what, int count, int possible) {
    if (count == possible) return;
    text += count == 0 ? fmt::format(", no {}", what) : fmt::format(", {} of {} {}", count, possible, what);
  };
  describe("edges", edges, edges_possible);
  describe("corners", corners, corners_possible);
  return text;
}

}  // namespace halocline
