// SPDX-License-Identifier: BSD-3-Clause
// Averages along x on all GPUs of this process: a view goes to a kernel by value, the kernel to the subdomain's stream.
#include <cuda_runtime.h>

#include <halocline/halocline.hpp>
#include <iostream>

__global__ void smooth(hc::Box part, hc::View<const double> now, hc::View<double> next) {
  const std::int64_t x = part.lo.x + blockIdx.x * blockDim.x + threadIdx.x;
  const std::int64_t y = part.lo.y + blockIdx.y;
  const std::int64_t z = part.lo.z + blockIdx.z;
  if (x < part.hi.x) next(x, y, z) = (now(x - 1, y, z) + now(x + 1, y, z)) / 2;
}

int main() {
  hc::Domain domain({64, 64, 64}, hc::Stencil::box(1, 0, 0), {.devices = {.kind = hc::DeviceKind::cuda}});
  const auto u = domain.add_field<double>("u", {.buffers = 2});
  domain.realize();
  std::cout << domain.explain();

  for (const auto& s : domain.subdomains()) {  // device memory is filled from the host, or by a kernel
    const hc::HostArray<double> start(s, u);
    hc::for_each_cell(start.view().with_halo(), [&](const hc::Vec3& p) { start(p) = p.x == 32 ? 1 : 0; });
    start.upload(s, u);
  }
  const auto launch = [&](const hc::Subdomain& s, const hc::Box& part) {
    if (part.empty()) return;
    const hc::DeviceGuard current(s);
    const auto size = part.extent();
    const dim3 blocks(static_cast<unsigned>((size.x + 63) / 64), static_cast<unsigned>(size.y),
                      static_cast<unsigned>(size.z));
    smooth<<<blocks, 64, 0, hc::cuda_stream(s.stream())>>>(part, s.read(u), s.write(u));
  };
  for (int step = 0; step < 100; ++step) {
    auto exchange = domain.start_exchange();
    for (const auto& s : domain.subdomains()) launch(s, s.interior());  // while halos are under way
    exchange.finish();
    for (const auto& s : domain.subdomains()) {
      for (const auto& box : s.boundary()) launch(s, box);  // with halos
    }
    domain.swap(u);
  }
  double sum = 0;
  for (const auto& s : domain.subdomains()) {
    const auto end = hc::to_host(s, u);  // waits for the steps
    hc::for_each_cell(s.owned(), [&](const hc::Vec3& p) { sum += end(p); });
  }
  std::cout << "heat " << sum << ", at the start " << 64 * 64 << "\n";
  domain.close();
}
