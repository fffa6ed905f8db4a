// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/cuda/board.hpp"
#include "device/cuda/tiling.hpp"
#include "device/flag.hpp"

namespace halocline::device::cuda {

/// The headers that an operation writes; none if the epoch is null.
struct WrittenHeaders {
  std::uint64_t* epoch = nullptr;
  const FlagSignal* signals = nullptr;
  std::uint32_t count = 0;
  bool advance = false;  ///< HeaderWrite::advance
};

/// The headers that an operation compares; none if count is 0.
struct ComparedHeaders {
  const std::uint64_t* epoch = nullptr;
  const WaitEntry* entries = nullptr;
  std::uint32_t count = 0;
  Flag* done = nullptr;  ///< HeaderCheck::done
};

/// A list of copies in device memory, as its kernel reads it.
struct CopyTable {
  const TileShape* shapes = nullptr;
  const CopyTile* tiles = nullptr;
  std::uint32_t tile_count = 0;
  bool converts = false;  ///< conversions are among them
  WrittenHeaders written{};
  ComparedHeaders compared{};

  [[nodiscard]] bool is_empty() const { return tile_count == 0 && written.epoch == nullptr && compared.count == 0; }
};

}  // namespace halocline::device::cuda
