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

/// A stream of CUDA's that waits for no other.
class OwnStream {
 public:
  /// With the device current.
  explicit OwnStream(Priority priority);
  /// Does not wait: CUDA takes it away when its work is done.
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A Board and what it points to. All with the device current, the destructor included; no kernel may use it any more.
class OwnBoard {
 public:
  explicit OwnBoard(cudaStream_t stream);
  ~OwnBoard();
  OwnBoard(const OwnBoard&) = delete;
  OwnBoard& operator=(const OwnBoard&) = delete;

  [[nodiscard]] Board* get() const { return board_; }
  [[nodiscard]] const FailureRecords* records() const { return records_; }
  /// Whether a kernel published its record, which then no longer changes.
  [[nodiscard]] bool failed() const;
  /// What launch_follow() finds. No call of CUDA.
  void fail_from_host() const;
  /// Kernels that fail here set this other device's word, too; it must be in reach. Waits for the stream.
  void add_other(std::uint32_t* stop, cudaStream_t stream);
  /// Sets the word here, behind what is in the stream.
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
  /// For copies that nothing else waits for, and that wait for nothing else.
  [[nodiscard]] cudaStream_t aside() const { return aside_->get(); }
  [[nodiscard]] TableMemory& tables() const { return *tables_; }
  [[nodiscard]] OwnBoard& board() { return *board_; }
  [[nodiscard]] const OwnBoard& board() const { return *board_; }
  /// How many blocks a copy of so many tiles gets.
  [[nodiscard]] unsigned copy_blocks(std::uint32_t tiles) const;
  /// How many blocks of exchanges the device works on at once.
  [[nodiscard]] int fused_room() const;
  /// How many of them so many multiprocessors work on; 0: all.
  [[nodiscard]] int fused_blocks(int multiprocessors) const;
  /// How many blocks may work in a whole exchange that occupies so many multiprocessors (0: as many as are of use), of the
  /// blocks that it has room for.
  [[nodiscard]] BlockLimits fused_limits(int multiprocessors, int room) const;
  /// Whether the kernel of exchanges may be brought to the device before the one before it has ended (programmatic
  /// dependent launch).
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
