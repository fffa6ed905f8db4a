// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/device_tables.hpp"

#include <utility>

namespace halocline::device::cuda {

Tables DeviceTables::to_device(Devices& devices, int device) const {
  if (bytes_.empty()) return {};
  const Device& on = devices.at(device);
  StreamWork::FreeBehind freed(devices.work(), device);
  Tables memory(on.tables().allocate(bytes_.size(), on.aside(), {device, bytes_.size(), Purpose::tables}),
                std::move(freed));
  check(cudaMemcpyAsync(memory.get(), bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice, on.aside()),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(on.aside()), "cudaStreamSynchronize");
  return memory;
}

}  // namespace halocline::device::cuda
