// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.hpp>

#include <iostream>

int main() {
  // Loops on two host devices; hello_gpu.cu is the same for GPUs.
  hc::Domain domain({64, 64, 64}, hc::Stencil::box(1, 0, 0),
                    {.devices = {.kind = hc::DeviceKind::host, .per_rank = 2}});
  const auto u = domain.add_field<double>("u", {.buffers = 2});
  domain.realize();               // discover, partition, place, allocate, route
  std::cout << domain.explain();  // what was decided, and why

  const auto smooth = [u](const hc::Subdomain& s, const hc::Box& part) {
    s.launch(part, [now = s.read(u), next = s.write(u)](const hc::Box& box) {
      hc::for_each_cell(box, [&](hc::Vec3 p) { next(p) = (now(p.x - 1, p.y, p.z) + now(p.x + 1, p.y, p.z)) / 2; });
    });
  };
  for (int step = 0; step < 100; ++step) {
    auto exchange = domain.start_exchange();
    for (const auto& s : domain.subdomains()) smooth(s, s.interior());  // while halos are under way
    exchange.finish();
    for (const auto& s : domain.subdomains()) {
      for (const auto& box : s.boundary()) smooth(s, box);  // with halos
    }
    domain.swap(u);
  }
  domain.close();
}
