// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "halocline/domain.hpp"
#include "mhd/mhd.hpp"

namespace mhd {

/// Astaroth's model (Pekkilä et al., Eqs. 4 to 12) with the rates that a step's parts were measured to have, each alone.
struct Prediction {
  double seconds_per_update = 0;  ///< pi^-1: of a cell's step on a device
  double seconds_per_cell = 0;    ///< beta^-1: of a halo cell sent or received, in a step; 0 where none is
  /// Eq. 4: the longer of computation and communication. With several substeps for an exchange: the longer of the exchange and the
  /// first substep, plus the other substeps.
  double step = 0;
};
/// of_update: pi^-1 of another measurement, as the paper takes it from one device; unset: from these parts.
[[nodiscard]] Prediction predict(halocline::Domain& domain, int order, const Parts& parts,
                                 std::optional<double> of_update = std::nullopt);

}  // namespace mhd
