// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/sum_list.hpp"

#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "device/cuda/device_tables.hpp"

namespace halocline::device::cuda {

CudaSumList::CudaSumList(std::shared_ptr<Devices> devices, int device, std::span<const StridedSum> sums)
    : devices_(std::move(devices)), device_(device) {
  const Device& on = devices_->at(device);
  DeviceTables tables;
  struct Places {
    DeviceTables::Place<SumTask> tasks;
    DeviceTables::Place<SumTerm> terms;
    DeviceTables::Place<SumTile> tiles;
  };
  std::vector<Places> places;
  for (const SumPlan& plan : plan_sums(sums)) {
    places.push_back({tables.add(plan.tasks), tables.add(plan.terms), tables.add(plan.tiles)});
    const auto tiles = checked_cast<std::uint32_t>(plan.tiles.size(), "the number of tiles of a list of sums");
    tables_.push_back({.tile_count = tiles, .element = plan.element});
  }
  if (tables_.empty()) return;
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  memory_ = tables.to_device(*devices_, device);
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    tables_[i].tasks = places[i].tasks.in(memory_);
    tables_[i].terms = places[i].terms.in(memory_);
    tables_[i].tiles = places[i].tiles.in(memory_);
  }
}

}  // namespace halocline::device::cuda
