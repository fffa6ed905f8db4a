// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.hpp>

#include <iostream>

int main() {
  // Two host devices of this process; mpi_cuda.cu is for the GPUs of an MPI job.
  hc::Domain domain({64, 64, 64}, hc::Stencil::star(1), {.devices = {.kind = hc::DeviceKind::host, .per_rank = 2}});
  const auto u = domain.add_field<double>("u", {.buffers = 2});
  domain.realize();               // discover, partition, place, allocate, route
  std::cout << domain.explain();  // what was decided, and why

  for (int step = 0; step < 100; ++step) {
    domain.exchange();
    for (const auto& s : domain.subdomains()) {
      s.launch(s.owned(), [now = s.read(u), next = s.write(u)](const hc::Box& part) {
        hc::for_each_cell(part, [&](hc::Vec3 p) {
          next(p) = (now(p.x - 1, p.y, p.z) + now(p.x + 1, p.y, p.z) + now(p.x, p.y - 1, p.z) + now(p.x, p.y + 1, p.z) +
                     now(p.x, p.y, p.z - 1) + now(p.x, p.y, p.z + 1)) /
                    6;
        });
      });
    }
    domain.swap(u);
  }
  domain.close();
}
