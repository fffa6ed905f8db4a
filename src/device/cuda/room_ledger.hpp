// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <mutex>

// How exchanges share the room that GPUs have for kernels which wait for other GPUs. No CUDA in here.
namespace halocline::device::cuda {

/// Blocks that are promised to exchanges, by GPU. All blocks of an exchange's kernel must find room at once, whatever other
/// exchanges are under way, because a block that waits keeps its place (docs/decisions/0015): so no more are promised than there
/// are. Thread-safe.
class RoomLedger {
 public:
  /// A block that coordinates, and one that works.
  static constexpr int least_blocks = 2;

  /// So many blocks of a GPU that holds `all`. False, and nothing is taken, where so many are not left, or it is less than
  /// least_blocks.
  [[nodiscard]] bool take(int gpu, int all, int blocks);
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
