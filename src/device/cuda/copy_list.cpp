#include "device/cuda/copy_list.hpp"

#include <cstring>
#include <utility>
#include <vector>

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

  const std::size_t task_bytes = tasks.size() * sizeof(CopyTask);
  const std::size_t tile_bytes = tiles.size() * sizeof(CopyTile);
  std::vector<std::byte> both(task_bytes + tile_bytes);
  std::memcpy(both.data(), tasks.data(), task_bytes);
  std::memcpy(both.data() + task_bytes, tiles.data(), tile_bytes);
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  // From the stream's pool: freeing waits for no other work of the device, which cudaFree() would.
  check(cudaMallocAsync(&memory_, both.size(), on.aside()), "cudaMallocAsync");
  tiles_ = reinterpret_cast<const CopyTile*>(static_cast<const std::byte*>(memory_) + task_bytes);
  try {
    check(cudaMemcpyAsync(memory_, both.data(), both.size(), cudaMemcpyHostToDevice, on.aside()), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(on.aside()), "cudaStreamSynchronize");
  } catch (...) {
    log_failure(cudaFreeAsync(memory_, on.aside()), "cudaFreeAsync");
    throw;
  }
}

CudaCopyList::~CudaCopyList() {
  if (memory_ == nullptr) return;
  const Device& on = devices_->at(device_);
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  log_failure(cudaFreeAsync(memory_, on.aside()), "cudaFreeAsync");
}

}  // namespace halocline::device::cuda
