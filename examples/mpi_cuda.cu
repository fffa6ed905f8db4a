// SPDX-License-Identifier: BSD-3-Clause
// The heat equation on the GPUs of an MPI job, each rank with its share of its node's GPUs: mpirun -n 4 ./mpi_cuda
#include <halocline/halocline.hpp>
#include <halocline/mpi.hpp>

#include <iostream>

__global__ void diffuse(hc::Box part, hc::View<const float> now, hc::View<float> next) {
  const std::int64_t x = part.lo.x + blockIdx.x * blockDim.x + threadIdx.x;
  const std::int64_t y = part.lo.y + blockIdx.y;
  const std::int64_t z = part.lo.z + blockIdx.z;
  if (x >= part.hi.x) return;
  const float sides =
      now(x - 1, y, z) + now(x + 1, y, z) + now(x, y - 1, z) + now(x, y + 1, z) + now(x, y, z - 1) + now(x, y, z + 1);
  next(x, y, z) = now(x, y, z) + 0.1F * (sides - 6 * now(x, y, z));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  hc::Domain domain({256, 256, 256}, hc::Stencil::star(1), MPI_COMM_WORLD, {.devices = {.kind = hc::DeviceKind::cuda}});
  const auto u = domain.add_field<float>("u", {.buffers = 2});
  domain.realize();  // discover, partition, place, allocate, route

  for (const auto& s : domain.subdomains()) {  // device memory is filled from the host, or by a kernel
    const hc::HostArray<float> start(s, u);
    hc::for_each_cell(start.view().with_halo(), [&](const hc::Vec3& p) {
      start(p) = p == hc::Vec3{0, 0, 0} ? 1000 : 0;
    });
    start.upload(s, u);
  }
  const auto update = [&](const hc::Subdomain& s, const hc::Box& part) {
    if (part.empty()) return;
    const hc::DeviceGuard current(s);
    const auto size = part.extent();
    const dim3 blocks((size.x + 127) / 128, size.y, size.z);
    diffuse<<<blocks, 128, 0, hc::cuda_stream(s.stream())>>>(part, s.read(u), s.write(u));
  };
  for (int step = 0; step < 100; ++step) {
    auto exchange = domain.start_exchange();
    for (const auto& s : domain.subdomains()) update(s, s.interior());  // while halos are under way
    exchange.finish();
    for (const auto& s : domain.subdomains()) {
      for (const auto& box : s.boundary()) update(s, box);  // with halos
    }
    domain.swap(u);
  }
  double heat = 0;
  for (const auto& s : domain.subdomains()) {
    const auto end = hc::to_host(s, u);  // waits for the steps
    hc::for_each_cell(s.owned(), [&](const hc::Vec3& p) { heat += end(p); });
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(MPI_IN_PLACE, &heat, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::cout << domain.explain() << "heat " << heat << ", at the start 1000\n";
  domain.close();
  MPI_Finalize();
}
