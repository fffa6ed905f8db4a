// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cuda/device_tables.hpp"
#include "device/cuda/stamp_layout.hpp"
#include "device/tracer.hpp"

namespace halocline::device::cuda {

/// The time stamps of a fused exchange's first runs in a trace. Their memory is allocated at once: an allocation during an
/// exchange could wait for a kernel that waits for another device.
class StampRecord final : public DeviceRecord {
 public:
  StampRecord(std::shared_ptr<Devices> devices, int device, const Tracer& tracer, StampLayout layout);

  [[nodiscard]] const StampLayout& layout() const { return layout_; }
  /// Room for the next run, within the tracer's innermost operation; null if there is no more.
  [[nodiscard]] std::uint64_t* next();
  std::vector<Run> take() override;

 private:
  static constexpr std::size_t most_runs = 32;
  std::shared_ptr<Devices> devices_;
  int device_;
  const Tracer* tracer_;
  StampLayout layout_;
  Tables memory_;
  std::uint64_t* stamps_ = nullptr;  ///< in it
  std::vector<std::size_t> within_;  ///< by run, the operation that contains it
};

}  // namespace halocline::device::cuda
