// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "halocline/direction.hpp"
#include "halocline/ids.hpp"

namespace [[gnu::visibility("default")]] halocline {

/// What an exchange moves of a field; other halo cells keep their values. The same on all ranks.
struct Transfer {
  static constexpr std::int64_t whole = std::numeric_limits<std::int64_t>::max();
  field_id field;
  /// The directions in which owned cells are sent; what is sent towards d fills the neighbour's halo on side -d.
  Directions directions = Directions().set();
  /// Halo cells are filled up to this distance from the owned cells; 1 fills the layer next to them. Less than the halo's
  /// width is allowed only where an exchange serves one step (steps_per_exchange 1).
  std::int64_t depth = whole;
};

/// What Domain::accumulate does with an owned cell and the halo cells that are its copies.
enum class Combine : int {
  add,     ///< the copies are added to it
  replace  ///< the last of them becomes its value
};

}  // namespace halocline
