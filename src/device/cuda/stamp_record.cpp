// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/stamp_record.hpp"

#include <utility>

#include "device/cuda/device_tables.hpp"

namespace halocline::device::cuda {

StampRecord::StampRecord(std::shared_ptr<Devices> devices, int device, const Tracer& tracer, StampLayout layout)
    : devices_(std::move(devices)), device_(device), tracer_(&tracer), layout_(std::move(layout)) {
  DeviceTables tables;
  const auto place = tables.add(std::vector<std::uint64_t>(most_runs * layout_.words(), 0));
  memory_ = tables.to_device(*devices_, device_);
  stamps_ = place.in(memory_);
}

std::uint64_t* StampRecord::next() {
  if (within_.size() == most_runs) return nullptr;
  within_.push_back(tracer_->innermost());
  return stamps_ + (within_.size() - 1) * layout_.words();
}

std::vector<DeviceRecord::Run> StampRecord::take() {
  std::vector<Run> runs;
  if (within_.empty()) return runs;
  std::vector<std::uint64_t> stamps(within_.size() * layout_.words());
  const std::size_t bytes = stamps.size() * sizeof(std::uint64_t);
  const Device& on = devices_->at(device_);
  const CurrentDevice current(on.context());
  check(cudaMemcpyAsync(stamps.data(), stamps_, bytes, cudaMemcpyDeviceToHost, on.aside()), "cudaMemcpyAsync");
  check(cudaMemsetAsync(stamps_, 0, bytes, on.aside()), "cudaMemsetAsync");
  check(cudaStreamSynchronize(on.aside()), "cudaStreamSynchronize");
  for (std::size_t r = 0; r < within_.size(); ++r) {
    for (const auto& [operation, begin, end] : layout_.operations(stamps.data() + r * layout_.words())) {
      runs.push_back({within_[r], operation, Duration(begin), Duration(end)});
    }
  }
  within_.clear();
  return runs;
}

}  // namespace halocline::device::cuda
