// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/cuda/fused_table.hpp"
#include "device/fused_exchange.hpp"

// What the kernel of a fused exchange records for a tracer. Contains no CUDA.
namespace halocline::device::cuda {

/// When an operation of the tracer ran, in nanoseconds of the device's global timer.
struct StampedOperation {
  std::size_t operation = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Where a run of an exchange has its stamps, and which operations they make.
///
/// Blocks share a part. A send begins to wait when its first block does; its "put" lasts from its first store to its last
/// block's end, when "arrived" is posted. A receive waits from the beginning of the kernel until its flag, or its first packets,
/// were seen; its "unpack" lasts from the first load after that to its last block's end.
class StampLayout {
 public:
  /// Describes the operations to the plan's tracer, which is not null. work: the table's.
  StampLayout(int device, const FusedPlan& plan, const std::vector<Work>& work);

  /// Of a run, in words of 64 bits.
  [[nodiscard]] std::size_t words() const { return 2 + receives_.size() + 3 * shares_.size(); }
  [[nodiscard]] StampRoom room(std::uint64_t* stamps) const;
  /// Those that have run: a part has not if the exchange failed before.
  [[nodiscard]] std::vector<StampedOperation> operations(const std::uint64_t* stamps) const;

 private:
  /// The operations of a part: it waits, moves cells, and posts that they are there.
  struct Part {
    std::size_t waiting = 0;
    std::size_t moving = 0;
    std::size_t posting = 0;  ///< of a send
  };
  struct Place {
    Role role;
    std::uint32_t part;
  };
  std::size_t posting_ = 0;
  std::size_t copying_ = 0;
  std::vector<Part> sends_;
  std::vector<Part> receives_;
  std::vector<Place> shares_;
};

}  // namespace halocline::device::cuda
