// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "placement/placement.hpp"

namespace halocline {

/// The first slot of each node with slots, and the number of slots.
inline std::vector<int> first_slots(const std::vector<placement::Slot>& slots) {
  std::vector<int> first;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    if (s == 0 || slots[s].node != slots[s - 1].node) first.push_back(static_cast<int>(s));
  }
  first.push_back(static_cast<int>(slots.size()));
  return first;
}

}  // namespace halocline
