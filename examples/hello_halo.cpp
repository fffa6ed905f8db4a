// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.hpp>

#include <iostream>

int main() {
  hc::DomainOptions options;
  options.backend_kind = hc::DeviceKind::host;  // loops on the host; hello_gpu.cu is the same for GPUs
  options.devices_per_rank = 2;
  hc::Domain domain({64, 64, 64}, hc::Radius::per_dimension(1, 0, 0), options);
  const auto u = domain.add_field<double>("u", hc::buffers::two);
  domain.realize();               // discover, partition, place, allocate, route
  std::cout << domain.explain();  // what was decided, and why

  const auto smooth = [u](const hc::Subdomain& s, const hc::Box& part) {
    s.launch(part, [now = s.read(u), next = s.write(u)](const hc::Box& box) {
      hc::for_each_cell(box, [&](hc::Vec3 p) { next(p) = (now(p.x - 1, p.y, p.z) + now(p.x + 1, p.y, p.z)) / 2; });
    });
  };
  for (int step = 0; step < 100; ++step) {
    domain.start_exchange();
    for (const auto& s : domain.subdomains()) smooth(s, s.interior());  // while halos are under way
    domain.finish_exchange();
    for (const auto& s : domain.subdomains()) {
      for (const auto& box : s.exterior()) smooth(s, box);  // with halos
    }
    domain.swap(u);
  }
  domain.close();
}
