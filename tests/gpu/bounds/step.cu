// SPDX-License-Identifier: BSD-3-Clause
#include "step.hpp"

namespace halocline::test {
namespace {

__global__ void shift(Box owned, View<const float> now, View<float> next, Vec3 offset) {
  const std::int64_t x = owned.lo.x + threadIdx.x;
  const std::int64_t y = owned.lo.y + blockIdx.x;
  const std::int64_t z = owned.lo.z + blockIdx.y;
  if (x < owned.hi.x) next(x, y, z) = now(x + offset.x, y + offset.y, z + offset.z);
}

}  // namespace

void launch_shift(const Subdomain& subdomain, Field<float> field, const Vec3& offset) {
  const DeviceGuard current(subdomain);
  const Vec3 size = subdomain.owned().extent();
  const dim3 blocks(static_cast<unsigned>(size.y), static_cast<unsigned>(size.z));
  shift<<<blocks, static_cast<unsigned>(size.x), 0, cuda_stream(subdomain.stream())>>>(
      subdomain.owned(), subdomain.read(field), subdomain.write(field), offset);
}

}  // namespace halocline::test
