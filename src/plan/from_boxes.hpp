// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "machine/machine_map.hpp"
#include "plan/plan.hpp"

namespace halocline {

/// The boxes of all ranks as a request's extent, cuts and owners.
struct GivenBoxes {
  Vec3 extent;
  partition::Cuts cuts;
  std::vector<placement::Owner> owners;  ///< by subdomain: along x, then y, then z
};
/// boxes: by rank of the machine, one for each device that the rank drives, in the order of its devices. Throws
/// InvalidArgument that names boxes and ranks where their numbers differ, where a box is empty, where the boxes do not
/// begin at 0, overlap, or leave cells out, and where a cut does not go through the whole domain. Time and memory:
/// n log n for n boxes, but for the text of an error.
[[nodiscard]] GivenBoxes from_boxes(std::span<const std::vector<Box>> boxes, const machine::MachineMap& machine);

}  // namespace halocline
