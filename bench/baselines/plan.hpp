// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "baselines/copies.hpp"
#include "baselines/workload.hpp"

namespace halocline::bench {

/// A block's arrays: fields one after another, x fastest. Where the block's width is a multiple of 8, the first owned cell of a
/// row and the cell after its last one are aligned to 32 bytes, and halos in x lie in whole sectors of 32 bytes with padding
/// next to them. Where it is a multiple of 16, the upper halo of a row and the lower one of the next share 64 aligned bytes.
struct ArrayLayout {
  explicit ArrayLayout(const Workload& workload);

  std::int64_t lead;  ///< elements before the first owned cell of a row, and after the last one
  std::int64_t skew;  ///< elements before the first row
  std::int64_t y;     ///< strides
  std::int64_t z;
  std::int64_t field;
  std::int64_t elements;  ///< of all fields
  std::int64_t radius;

  /// A cell's place by its index in the block; -radius is the first halo cell.
  [[nodiscard]] std::int64_t at(const Vec3& cell) const {
    return (cell.z + radius) * z + (cell.y + radius) * y + cell.x + lead + skew;
  }
};

/// All that goes to one neighbour. Buffers of both ends hold the messages in the order of their peers; what comes from a
/// peer is as long as what goes to it.
struct Message {
  std::int64_t peer = 0;
  std::int64_t offset = 0;  ///< in the buffer, in elements
  std::int64_t elements = 0;
};

/// Where a copy reads or writes, from a start that the way of exchange gives: arrays, or a message's buffer.
struct Place {
  std::int64_t offset = 0;
  std::int64_t field = 0;
  std::int64_t x = 1;
  std::int64_t y = 0;
  std::int64_t z = 0;
};

struct PlannedCopy {
  int message = -1;  ///< index of the message or, for direct copies, of the peer; -1: the block itself
  Place from;
  Place to;
  Vec3 size;
  Item item = Item::cells;
  std::uint32_t shift = 0;
  /// Of the rows' upper ends, for ends and rows_in: their message, and where they begin there.
  int upper_message = -1;
  std::int64_t from_upper = 0;
  std::int64_t to_upper = 0;
};

/// What one block does in an exchange. Cells are sent once: a halo that also lies across an uncut dimension is filled from
/// the message across the cut.
struct Plan {
  std::vector<Message> messages;     ///< by peer, ascending
  std::vector<PlannedCopy> pack;     ///< arrays to the buffer of a message to a peer
  std::vector<PlannedCopy> unpack;   ///< the buffer of a message from a peer to arrays
  std::vector<PlannedCopy> wrap;     ///< arrays to the own halo across uncut dimensions
  std::vector<PlannedCopy> direct;   ///< arrays to a peer's arrays: what pack and its unpack do together
  std::int64_t buffer_elements = 0;  ///< of all messages
  std::int64_t bytes_out = 0;        ///< cells sent, without padding between parts
};

[[nodiscard]] Plan plan_of(const Workload& workload, std::int64_t block);

/// The message of a plan that goes to, and comes from, a block. Throws InternalError where there is none.
[[nodiscard]] const Message& message_with(const Plan& plan, std::int64_t peer);

/// Start of the memory of a message; of the block itself for -1.
using Start = std::function<float*(int message)>;

/// Copies with addresses.
[[nodiscard]] std::vector<Copy> bound(const std::vector<PlannedCopy>& copies, const Start& from, const Start& to);

}  // namespace halocline::bench
