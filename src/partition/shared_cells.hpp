// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partition/halo.hpp"

namespace halocline::partition {

/// For each segment the place of its holder: the largest segment of the same field that contains its cells, the first of equal ones; its
/// own place if no other does. A holder is its own holder. Where a dimension is not cut, faces hold the edges and corners that go
/// to the same neighbour. A segment without all components of its field holds itself alone, and has no other holder.
[[nodiscard]] std::vector<std::size_t> holders(std::span<const Segment> segments);

/// Whether any segment may have a holder: where a dimension is periodic and has one subdomain, or two, which are met on both sides.
[[nodiscard]] bool may_share_cells(const Geometry& geometry);

/// Bytes of a message that holds each cell once: of the segments that are their own holders.
[[nodiscard]] std::int64_t bytes_once(const Message& message);

}  // namespace halocline::partition
