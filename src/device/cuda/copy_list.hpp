// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "device/cuda/board.hpp"
#include "device/cuda/devices.hpp"
#include "device/cuda/tiling.hpp"

namespace halocline::device::cuda {

/// Tiles and their shapes in device memory.
class CudaCopyList final : public CopyList {
 public:
  CudaCopyList(std::shared_ptr<Devices> devices, int device, std::span<const StridedCopy> copies,
               const HeaderCheck& check);
  ~CudaCopyList() override;
  CudaCopyList(const CudaCopyList&) = delete;
  CudaCopyList& operator=(const CudaCopyList&) = delete;

  [[nodiscard]] std::int64_t bytes() const override { return bytes_; }
  [[nodiscard]] const Devices& devices() const { return *devices_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] const TileShape* shapes() const { return shapes_; }
  [[nodiscard]] const CopyTile* tiles() const { return tiles_; }
  [[nodiscard]] std::uint32_t tile_count() const { return tile_count_; }
  [[nodiscard]] bool converts() const { return converts_; }
  [[nodiscard]] const HeaderTable& headers() const { return headers_; }

 private:
  std::shared_ptr<Devices> devices_;
  int device_;
  std::int64_t bytes_ = 0;
  void* memory_ = nullptr;
  const TileShape* shapes_ = nullptr;
  const CopyTile* tiles_ = nullptr;
  std::uint32_t tile_count_ = 0;
  bool converts_ = false;
  HeaderTable headers_;
};

}  // namespace halocline::device::cuda
