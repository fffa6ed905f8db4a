// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "halocline/stencil.hpp"

namespace halocline {

/// The halo that is allocated and exchanged around a subdomain: cells on each side, and which edges and corners. A
/// Stencil is what one step reads; a halo serves one or more steps, and may leave out dimensions. They are two types,
/// so that one is not mistaken for the other.
class HaloWidth : private Stencil {
 public:
  HaloWidth() = default;
  /// The halo for one step.
  HaloWidth(const Stencil& stencil)
      : Stencil(stencil) {}  // NOLINT(google-explicit-constructor): one step is the usual case
  using Stencil::face;
  using Stencil::lower;
  using Stencil::none;
  using Stencil::upper;
  using Stencil::width;
  /// Whether the halo on side d is filled.
  [[nodiscard]] bool has(Direction d) const { return reads(d); }
  [[nodiscard]] HaloWidth without_dimension(int dim) const { return Stencil::without_dimension(dim); }
  /// The widest of the six sides.
  [[nodiscard]] std::int64_t most() const {
    return std::max({lower().x, lower().y, lower().z, upper().x, upper().y, upper().z});
  }

  friend bool operator==(const HaloWidth&, const HaloWidth&) = default;
  friend std::string to_string(const HaloWidth& width) { return to_string(static_cast<const Stencil&>(width)); }
};

/// The halo that a field with this stencil needs if one exchange serves `steps` steps (1 or more), each of which reads
/// as far as `widest`. For more than one step it has all edges and corners: a step that updates neighbours' cells reads
/// them, whatever the stencil.
[[nodiscard]] HaloWidth halo_width(const Stencil& field, const Stencil& widest, int steps);

}  // namespace halocline
