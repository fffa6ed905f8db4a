// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/radius.hpp"

namespace halocline::partition {

/// The halo that a field needs which a step reads as far as `field`. Where the multiplier is above 1 it has all edges
/// and corners: a step that computes neighbours' cells reads them, whatever the stencil.
[[nodiscard]] Radius halo_radius(const Radius& field, const Radius& widest, int multiplier);

}  // namespace halocline::partition
