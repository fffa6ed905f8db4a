// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "device/cuda/device_tables.hpp"
#include "device/cuda/fused_table.hpp"
#include "device/cuda/stamp_record.hpp"

namespace halocline::device::cuda {

/// A plan whose tables lie in device memory.
class CudaFusedExchange final : public FusedExchange {
 public:
  CudaFusedExchange(std::shared_ptr<Devices> devices, int device, const FusedPlan& plan);

  [[nodiscard]] const Devices& devices() const { return *devices_; }
  [[nodiscard]] int device() const { return device_; }
  /// stamps: what stamps() returned, or null.
  [[nodiscard]] FusedTable table(std::uint64_t* stamps) const;
  [[nodiscard]] std::uint64_t* stamps() override { return record_ ? record_->next() : nullptr; }
  /// Blocks of the kernel that have shares; 0 if there is nothing to do, except perhaps to advance epochs.
  [[nodiscard]] unsigned workers() const { return workers_; }

 private:
  std::shared_ptr<Devices> devices_;
  int device_;
  Tables memory_;
  FusedTable table_;
  unsigned workers_ = 0;
  std::shared_ptr<StampRecord> record_;  ///< null without a tracer
};

}  // namespace halocline::device::cuda
