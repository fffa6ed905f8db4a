// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/cuda/device_tables.hpp"
#include "device/cuda/sum_table.hpp"

namespace halocline::device::cuda {

/// Tasks, their terms and tiles in device memory.
class CudaSumList final : public SumList {
 public:
  CudaSumList(std::shared_ptr<Devices> devices, int device, std::span<const StridedSum> sums);

  [[nodiscard]] const Devices& devices() const { return *devices_; }
  [[nodiscard]] int device() const { return device_; }
  /// One for each element type.
  [[nodiscard]] std::span<const SumTable> tables() const { return tables_; }

 private:
  std::shared_ptr<Devices> devices_;
  int device_;
  Tables memory_;
  std::vector<SumTable> tables_;
};

}  // namespace halocline::device::cuda
