// SPDX-License-Identifier: BSD-3-Clause
#include "slow_paths/slow_paths.hpp"
#include "support/cuda.cuh"

namespace halocline::bench {
namespace {

__global__ void update(Box box, View<const float> now, View<float> next) {
  const std::int64_t x = box.lo.x + blockIdx.x * blockDim.x + threadIdx.x;
  const std::int64_t y = box.lo.y + blockIdx.y;
  const std::int64_t z = box.lo.z + blockIdx.z;
  if (x < box.hi.x) next(x, y, z) = 0.5F * now(x, y, z) + 1;
}

}  // namespace

void update_on_gpu(const Subdomain& subdomain, Field<float> field, const Box& box) {
  const DeviceGuard current(subdomain);
  const Vec3 size = box.extent();
  const dim3 blocks(static_cast<unsigned>((size.x + 63) / 64), static_cast<unsigned>(size.y),
                    static_cast<unsigned>(size.z));
  update<<<blocks, 64, 0, cuda_stream(subdomain.stream())>>>(box, subdomain.read(field), subdomain.write(field));
  check_launch("update");
}

}  // namespace halocline::bench
