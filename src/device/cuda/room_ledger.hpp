// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <mutex>

// How exchanges share the blocks that GPUs can hold of kernels that wait for other GPUs. This file uses no CUDA.
namespace halocline::device::cuda {

/// Blocks that are reserved for exchanges, by GPU. All blocks of an exchange's kernel must be resident at once,
/// whatever other exchanges are under way, because a waiting block stays resident (docs/decisions/0015). No more blocks
/// are therefore reserved than the GPU can hold. Thread-safe.
class RoomLedger {
 public:
  /// A block that coordinates, and one that works.
  static constexpr int least_blocks = 2;

  /// Reserves this many blocks of a GPU that can hold `all`. Returns false, and reserves nothing, if fewer are left, or
  /// if the number is less than least_blocks.
  [[nodiscard]] bool take(int gpu, int all, int blocks);
  /// Counts an exchange that needs no blocks; give_back() of 0 blocks ends it.
  void join(int gpu);
  void give_back(int gpu, int blocks);
  /// How many exchanges have room on a GPU.
  [[nodiscard]] int holders(int gpu) const;

  /// Kernels of all backends of a process share its GPUs.
  static RoomLedger& of_process();

 private:
  struct Entry {
    int blocks = 0;
    int holders = 0;
  };
  mutable std::mutex mutex_;
  std::map<int, Entry> taken_;
};

}  // namespace halocline::device::cuda
