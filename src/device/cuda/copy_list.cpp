#include "device/cuda/copy_list.hpp"

#include <utility>
#include <vector>

#include "device/cuda/device_tables.hpp"
#include "halocline/core/checked.hpp"

namespace halocline::device::cuda {

CudaCopyList::CudaCopyList(std::shared_ptr<Devices> devices, int device, std::span<const StridedCopy> copies)
    : devices_(std::move(devices)), device_(device) {
  const Device& on = devices_->at(device);
  const std::vector<CopyTask> tasks = plan_tasks(copies);
  const std::vector<CopyTile> tiles = plan_tiles(tasks);
  for (const StridedCopy& copy : copies) bytes_ += copy.bytes();
  tile_count_ = checked_cast<std::uint32_t>(tiles.size(), "the number of tiles of a list of copies");
  if (tiles.empty()) return;
  DeviceTables tables;
  const auto tasks_at = tables.add(tasks);
  const auto tiles_at = tables.add(tiles);
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  memory_ = tables.to_device(on);
  tasks_ = tasks_at.in(memory_);
  tiles_ = tiles_at.in(memory_);
}

CudaCopyList::~CudaCopyList() { DeviceTables::free(*devices_, device_, memory_); }

}  // namespace halocline::device::cuda
