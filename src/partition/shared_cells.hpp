// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partition/halo.hpp"

namespace halocline::partition {

/// For each of some segments, by field, the place of one whose cells are all of its own and more, or else its own place. Where a
/// dimension is not cut, the cells of edges and corners are cells of faces that go to the same neighbour. A holder has no
/// other holder: of those that contain a segment it is the largest, and the first of equal ones. Segments of fields of which
/// not all components are sent hold nothing but themselves.
[[nodiscard]] std::vector<std::size_t> holders(std::span<const Segment> segments);

/// Whether any segment may have a holder: where a dimension is periodic and has one subdomain, or two, which are met on both sides.
[[nodiscard]] bool may_share_cells(const Geometry& geometry);

/// Bytes of a message that holds each cell once: of the segments that are their own holders.
[[nodiscard]] std::int64_t bytes_once(const Message& message);

}  // namespace halocline::partition
