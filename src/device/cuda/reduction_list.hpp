// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "device/cuda/device_tables.hpp"
#include "device/cuda/reduction_plan.hpp"

namespace halocline::device::cuda {

class CudaReductionList final : public ReductionList {
 public:
  CudaReductionList(std::shared_ptr<Devices> devices, int device, std::span<const StridedReduction> reductions);

  [[nodiscard]] const Devices& devices() const { return *devices_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] const ReductionTable& table() const { return table_; }

 private:
  std::shared_ptr<Devices> devices_;
  int device_;
  Tables memory_;
  ReductionTable table_;
};

}  // namespace halocline::device::cuda
