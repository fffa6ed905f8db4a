// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "device/backend.hpp"
#include "device/cuda/board.hpp"
#include "device/cuda/fused_shares.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/table_memory.hpp"

namespace halocline::device::cuda {

/// A CUDA stream that does not synchronise with any other.
class OwnStream {
 public:
  /// The device must be current.
  explicit OwnStream(Priority priority);
  /// Does not wait: CUDA releases the stream when its work is done.
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Owns a Board and what it points to. The device must be current for all calls, the destructor included. No kernel may
/// use the board any more when it is destroyed.
class OwnBoard {
 public:
  explicit OwnBoard(cudaStream_t stream);
  ~OwnBoard();
  OwnBoard(const OwnBoard&) = delete;
  OwnBoard& operator=(const OwnBoard&) = delete;

  [[nodiscard]] Board* get() const { return board_; }
  [[nodiscard]] const FailureRecords* records() const { return records_; }
  /// Whether a kernel published its failure record, which then no longer changes.
  [[nodiscard]] bool failed() const;
  /// Publishes the host's failure record, which launch_follow() finds. Calls no CUDA function.
  void fail_from_host() const;
  /// Makes kernels that fail on this device also set another device's stop word, which this device must be able to
  /// access. Waits for the stream.
  void add_other(std::uint32_t* stop, cudaStream_t stream);
  /// Sets this device's stop word after the work in the stream.
  [[nodiscard]] cudaError_t stop(cudaStream_t stream) const;

 private:
  Board* board_ = nullptr;             ///< in device memory
  FailureRecords* records_ = nullptr;  ///< pinned
  std::uint32_t others_ = 0;
};

/// One GPU of a backend: what its streams share.
class Device {
 public:
  explicit Device(int cuda_ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] Context context() const { return context_; }
  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  /// A stream for copies that no other work waits for, and that wait for no other work.
  [[nodiscard]] cudaStream_t aside() const { return aside_->get(); }
  [[nodiscard]] TableMemory& tables() const { return *tables_; }
  [[nodiscard]] OwnBoard& board() { return *board_; }
  [[nodiscard]] const OwnBoard& board() const { return *board_; }
  /// The number of blocks for a copy of this many tiles.
  [[nodiscard]] unsigned copy_blocks(std::uint32_t tiles) const;
  /// How many blocks of exchanges can be resident on the device at once.
  [[nodiscard]] int fused_room() const;
  /// How many of them fit on this many multiprocessors; 0: on all.
  [[nodiscard]] int fused_blocks(int multiprocessors) const;
  /// How many blocks may work in a fused exchange that has room for `room` blocks and occupies at most this many
  /// multiprocessors (0: as many as are useful).
  [[nodiscard]] BlockLimits fused_limits(int multiprocessors, int room) const;
  /// Whether the kernel of exchanges may be launched before the preceding kernel has ended (programmatic dependent
  /// launch).
  [[nodiscard]] bool starts_early() const { return starts_early_; }

 private:
  int ordinal_;
  Context context_;
  DeviceInfo info_;
  int multiprocessors_ = 0;
  int copy_blocks_at_once_ = 1;   ///< on a multiprocessor
  int fused_blocks_at_once_ = 1;  ///< on a multiprocessor
  bool starts_early_ = false;
  std::unique_ptr<OwnStream> aside_;
  std::unique_ptr<TableMemory> tables_;
  std::unique_ptr<OwnBoard> board_;
};

}  // namespace halocline::device::cuda
