// SPDX-License-Identifier: BSD-3-Clause
#include "ceilings/gpu/lanes.cuh"
#include "ceilings/gpu/parts.cuh"

namespace halocline::bench {
namespace {

constexpr std::size_t bytes = std::size_t{1} << 30;  // well beyond the second-level cache
constexpr int copies = 10;

__global__ void copy_kernel(uint4* target, const uint4* source, std::size_t units) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * step < units; i += 4 * step) {
    const uint4 a = source[i];
    const uint4 b = source[i + step];
    const uint4 c = source[i + 2 * step];
    const uint4 d = source[i + 3 * step];
    target[i] = a;
    target[i + step] = b;
    target[i + 2 * step] = c;
    target[i + 3 * step] = d;
  }
  for (; i < units; i += step) target[i] = source[i];
}

}  // namespace

void copy_by_kernel(void* target, const void* source, std::size_t size, int blocks, cudaStream_t stream) {
  copy_kernel<<<static_cast<unsigned>(blocks), 512, 0, stream>>>(static_cast<uint4*>(target),
                                                                 static_cast<const uint4*>(source), size / 16);
  check_launch("copy_kernel");
}

void measure_memory(Ceilings& ceilings) {
  std::vector<OwnedMemory> from;
  std::vector<OwnedMemory> to;
  std::vector<Work> kernels;
  std::vector<Work> engines;
  const int devices = gpu_count();
  for (int device = 0; device < devices; ++device) {
    use_device(device);
    int processors = 0;
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    from.push_back(make_memory(bytes));
    to.push_back(make_memory(bytes));
    void* const target = to.back().get();
    const void* const source = from.back().get();
    kernels.push_back({device, [=](cudaStream_t s) { copy_by_kernel(target, source, bytes, 8 * processors, s); }});
    engines.push_back({device, [=](cudaStream_t s) {
                         check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, s), "cudaMemcpyAsync");
                       }});
  }
  const double moved = 2.0 * bytes;
  ceilings.rate("memory", "copy by kernel, read plus written", moved, 1, lane_rates({kernels[0]}, copies, moved));
  ceilings.rate("memory", "copy by cudaMemcpyAsync, read plus written", moved, 1,
                lane_rates({engines[0]}, copies, moved));
  if (devices > 1) {
    ceilings.rate("memory", "copy by kernel, read plus written, all GPUs, slowest", moved, devices,
                  lane_rates(kernels, copies, moved));
  }
}

}  // namespace halocline::bench
