// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "device/strided_copy.hpp"
#include "halocline/direction.hpp"
#include "halocline/domain.hpp"

namespace halocline::bench {

/// A 3-D array of elements in memory.
struct Strided {
  std::byte* start = nullptr;
  std::array<std::int64_t, 3> stride{};
};

/// What is sent towards one direction: as it lies in the sender, as it is packed, as it lies in the receiver.
struct HaloBox {
  Direction direction;
  Vec3 extent;
  std::int64_t bytes = 0;
  std::int64_t packed_at = 0;  ///< bytes from the start of a buffer that holds all boxes; 128-byte aligned
};

/// The boxes of the directions, and the bytes of a buffer for all of them.
struct HaloBoxes {
  std::vector<HaloBox> boxes;
  std::int64_t element_bytes = 4;
  std::int64_t buffer_bytes = 0;
};
[[nodiscard]] HaloBoxes boxes_towards(const std::vector<Direction>& directions, const Vec3& owned, std::int64_t radius,
                                      std::int64_t element_bytes);

/// The owned cells that are sent towards d.
[[nodiscard]] Strided sent_cells(const View<std::byte>& view, Direction d, std::int64_t radius);
/// The halo cells that are filled by what was sent towards d.
[[nodiscard]] Strided filled_cells(const View<std::byte>& view, Direction d, std::int64_t radius);
/// A box in a packed buffer.
[[nodiscard]] Strided packed_cells(std::byte* buffer, const HaloBox& box, std::int64_t element_bytes);

[[nodiscard]] device::StridedCopy copy_of(const HaloBox& box, std::int64_t element_bytes, const Strided& target,
                                          const Strided& source);

/// Of each shape one: three faces, three edges, a corner.
[[nodiscard]] std::vector<Direction> one_of_each_shape();
/// "+x", "-x+y", "+x+y+z"
[[nodiscard]] std::string short_name(Direction d);

}  // namespace halocline::bench
