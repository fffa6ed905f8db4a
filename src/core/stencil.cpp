// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/stencil.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline {

Stencil Stencil::per_side(const Vec3& lower, const Vec3& upper) {
  Stencil stencil;
  for (int dim = 0; dim < 3; ++dim) {
    for (const std::int64_t r : {lower[dim], upper[dim]}) {
      if (r < 0) throw InvalidArgument(fmt::format("radius is {}; allowed is 0 or more", r));
    }
  }
  stencil.lower_ = lower;
  stencil.upper_ = upper;
  for (const Direction d : all_directions) {
    bool on = true;
    for (int dim = 0; dim < 3; ++dim) {
      if (d[dim] != 0) on = on && stencil.face(dim, d[dim] < 0 ? Side::lower : Side::upper) > 0;
    }
    stencil.on_.set(static_cast<std::size_t>(d.index()), on);
  }
  return stencil;
}

Stencil Stencil::box(std::int64_t rx, std::int64_t ry, std::int64_t rz) { return per_side({rx, ry, rz}, {rx, ry, rz}); }

Stencil Stencil::box(std::int64_t r) { return box(r, r, r); }

Stencil Stencil::star(std::int64_t r) { return box(r).without_edges().without_corners(); }

Stencil Stencil::without_edges() const {
  Stencil stencil = *this;
  for (const Direction d : all_directions) {
    if (d.order() == 2) stencil.on_.reset(static_cast<std::size_t>(d.index()));
  }
  return stencil;
}

Stencil Stencil::without_corners() const {
  Stencil stencil = *this;
  for (const Direction d : all_directions) {
    if (d.order() == 3) stencil.on_.reset(static_cast<std::size_t>(d.index()));
  }
  return stencil;
}

Stencil Stencil::without_dimension(int dim) const {
  Stencil stencil = *this;
  stencil.lower_[dim] = stencil.upper_[dim] = 0;
  for (const Direction d : all_directions) {
    if (d[dim] != 0) stencil.on_.reset(static_cast<std::size_t>(d.index()));
  }
  return stencil;
}

Stencil Stencil::with(Direction d, bool on) const {
  if (d.order() == 1) {
    throw InvalidArgument(fmt::format(
        "direction is {}, a face; allowed are edges and corners (a face is off where its radius is 0)", to_string(d)));
  }
  Stencil stencil = *this;
  for (int dim = 0; dim < 3; ++dim) {
    if (on && d[dim] != 0 && face(dim, d[dim] < 0 ? Side::lower : Side::upper) == 0) {
      throw InvalidArgument(
          fmt::format("direction {} is switched on next to a face of radius 0 in dimension {}; allowed are "
                      "directions whose faces all have a radius of 1 or more",
                      to_string(d), "xyz"[dim]));
    }
  }
  stencil.on_.set(static_cast<std::size_t>(d.index()), on);
  return stencil;
}

Vec3 Stencil::width(Direction d) const {
  Vec3 width;
  for (int dim = 0; dim < 3; ++dim) {
    if (d[dim] != 0) width[dim] = face(dim, d[dim] < 0 ? Side::lower : Side::upper);
  }
  return width;
}

std::string to_string(const Stencil& stencil) {
  const Vec3& lo = stencil.lower();
  const Vec3& hi = stencil.upper();
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
  const Stencil full = Stencil::per_side(lo, hi);
  for (const Direction d : all_directions) {
    (d.order() == 2 ? edges : corners) += d.order() > 1 && stencil.reads(d) ? 1 : 0;
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
