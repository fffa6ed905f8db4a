// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "halocline/domain.hpp"

namespace cli {

/// What a check of every cell of every field found, over all ranks.
struct Verdict {
  std::int64_t halo_cells = 0;  ///< that an exchange must fill; elements, all fields
  std::int64_t halo_wrong = 0;
  std::int64_t other_cells = 0;  ///< owned cells, and halo cells that no exchange may touch
  std::int64_t other_changed = 0;
  std::int64_t messages = 0;  ///< of one exchange; with none there must be no halo cell, with some there must be
  std::string first;          ///< the first failure in words; empty where there is none
  [[nodiscard]] bool passed() const {
    return (halo_cells > 0) == (messages > 0) && halo_wrong == 0 && other_changed == 0;
  }
};

/// Fills owned cells with a function of their global index and the round, and halos with a sentinel that no
/// such value begins with. Waits for all work first. Takes host memory for one array at a time.
void fill_for_verification(halocline::Domain& domain, std::uint64_t round);

/// Compares all cells with their values after an exchange as the geometry defines them: nothing is taken from the
/// library's own message boxes. Collective; the same verdict on all ranks.
[[nodiscard]] Verdict verify(halocline::Domain& domain, std::uint64_t round);

}  // namespace cli
