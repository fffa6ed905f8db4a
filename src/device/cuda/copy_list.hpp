// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "device/cuda/copy_table.hpp"
#include "device/cuda/device_tables.hpp"

namespace halocline::device::cuda {

/// Tiles, their shapes and the headers in device memory.
class CudaCopyList final : public CopyList {
 public:
  CudaCopyList(std::shared_ptr<Devices> devices, int device, std::span<const StridedCopy> copies,
               const HeaderWrite& write, const HeaderCheck& check);

  [[nodiscard]] std::int64_t bytes() const override { return bytes_; }
  [[nodiscard]] const Devices& devices() const { return *devices_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] const CopyTable& table() const { return table_; }

 private:
  std::shared_ptr<Devices> devices_;
  int device_;
  std::int64_t bytes_ = 0;
  Tables memory_;
  CopyTable table_;
};

}  // namespace halocline::device::cuda
