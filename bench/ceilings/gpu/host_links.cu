// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "ceilings/gpu/lanes.cuh"
#include "ceilings/gpu/parts.cuh"

namespace halocline::bench {
namespace {

constexpr std::size_t bytes = std::size_t{64} << 20;
constexpr int copies = 5;

struct Ends {
  std::vector<OwnedMemory> device;
  std::vector<OwnedPinned> host;
  std::vector<OwnedMemory> device_in;
  std::vector<OwnedPinned> host_in;
};

Work to_host(const Ends& ends, int device) {
  const auto i = static_cast<std::size_t>(device);
  return {device, [target = ends.host_in[i].get(), source = ends.device[i].get()](cudaStream_t stream) {
            check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
          }};
}
Work to_device(const Ends& ends, int device) {
  const auto i = static_cast<std::size_t>(device);
  return {device, [target = ends.device_in[i].get(), source = ends.host[i].get()](cudaStream_t stream) {
            check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
          }};
}

}  // namespace

void measure_host_links(Ceilings& ceilings) {
  const int devices = gpu_count();
  Ends ends;
  for (int device = 0; device < devices; ++device) {
    use_device(device);
    ends.device.push_back(make_memory(bytes));
    ends.device_in.push_back(make_memory(bytes));
    ends.host.push_back(make_pinned(bytes));
    ends.host_in.push_back(make_pinned(bytes));
  }
  constexpr double size = bytes;
  std::vector<Work> down;
  std::vector<Work> up;
  std::vector<Work> both;
  for (int device = 0; device < devices; ++device) {
    down.push_back(to_host(ends, device));
    up.push_back(to_device(ends, device));
    both.push_back(down.back());
    both.push_back(up.back());
    const std::string name = "GPU " + std::to_string(device);
    ceilings.rate("host", name + " to pinned memory", size, 1, lane_rates({down.back()}, copies, size, 3));
    ceilings.rate("host", "pinned memory to " + name, size, 1, lane_rates({up.back()}, copies, size, 3));
  }
  ceilings.rate("host", "GPU 0, both ways, each", size, 1, lane_rates({down[0], up[0]}, copies, size, 3));
  if (devices < 2) return;
  ceilings.rate("host", "all GPUs to pinned memory, each", size, devices, lane_rates(down, copies, size, 3));
  ceilings.rate("host", "pinned memory to all GPUs, each", size, devices, lane_rates(up, copies, size, 3));
  ceilings.rate("host", "all GPUs, both ways, each", size, devices, lane_rates(both, copies, size, 3));
}

}  // namespace halocline::bench
