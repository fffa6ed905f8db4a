// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/sum_list.hpp"

#include <utility>

#include "core/checked.hpp"
#include "device/cuda/device_tables.hpp"

namespace halocline::device::cuda {

CudaSumList::CudaSumList(std::shared_ptr<Devices> devices, int device, std::span<const StridedSum> sums)
    : devices_(std::move(devices)), device_(device) {
  const Device& on = devices_->at(device);
  const SumPlan plan = plan_sums(sums);
  table_.tile_count = checked_cast<std::uint32_t>(plan.tiles.size(), "the number of tiles of a list of sums");
  if (plan.tiles.empty()) return;
  DeviceTables tables;
  const auto tasks_at = tables.add(plan.tasks);
  const auto terms_at = tables.add(plan.terms);
  const auto tiles_at = tables.add(plan.tiles);
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  memory_ = tables.to_device(*devices_, device);
  table_.tasks = tasks_at.in(memory_);
  table_.terms = terms_at.in(memory_);
  table_.tiles = tiles_at.in(memory_);
}

CudaSumList::~CudaSumList() { devices_->free_tables(device_, memory_); }

}  // namespace halocline::device::cuda
