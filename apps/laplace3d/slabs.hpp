// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "halocline/domain.hpp"

namespace laplace3d {

using halocline::Side;
inline constexpr std::array sides{Side::lower, Side::upper};

/// A subdomain of a domain that is cut in z alone, and what of it its neighbours see. `width` planes are a side: as many as
/// an exchange moves.
class Slab {
 public:
  Slab(const halocline::Subdomain& subdomain, const halocline::Vec3& domain, int width)
      : subdomain_(&subdomain), depth_(domain.z), width_(width) {}

  [[nodiscard]] const halocline::Subdomain& subdomain() const { return *subdomain_; }
  [[nodiscard]] int device() const { return subdomain_->device(); }
  [[nodiscard]] bool has_neighbour(Side side) const;
  /// The owned planes that the neighbour on a side reads; empty where there is none.
  [[nodiscard]] halocline::Box side(Side side) const;
  /// The planes of the halo that come from there.
  [[nodiscard]] halocline::Box ghost(Side side) const;
  /// The owned planes that are on no side.
  [[nodiscard]] halocline::Box inner() const;
  /// In the first step after an exchange: the cells that read no plane of the exchange, and the others, below and
  /// above.
  [[nodiscard]] halocline::Box untouched() const;
  [[nodiscard]] std::array<halocline::Box, 2> touched() const;

 private:
  const halocline::Subdomain* subdomain_;
  std::int64_t depth_;  ///< of the domain
  int width_;
};

/// The slabs of this rank, from below to above.
[[nodiscard]] std::vector<Slab> slabs_of(halocline::Domain& domain);

/// The bytes from the first cell of whole planes of a slab to the last one: one range, which holds the fixed cells between
/// rows as well. Those are the same in both of two neighbours.
struct Planes {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};
template <typename T>
[[nodiscard]] Planes planes_of(const halocline::View<T>& view, const halocline::Box& box) {
  auto* first = reinterpret_cast<std::byte*>(&view(box.lo));
  auto* last = reinterpret_cast<std::byte*>(&view(box.hi - halocline::Vec3::filled(1)));
  return {first, static_cast<std::size_t>(last - first) + sizeof(T)};
}

}  // namespace laplace3d
