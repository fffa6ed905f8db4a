// SPDX-License-Identifier: BSD-3-Clause
// Two threads of each rank with a domain each, at the same time, under MPI_THREAD_MULTIPLE: every halo cell is compared.
#include <fmt/core.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>

#include "halocline/halocline.hpp"
#include "halocline/mpi.hpp"

namespace {

constexpr hc::Vec3 extent{8, 9, 24};
constexpr int rounds = 3;  // domains, one after the other
constexpr int steps = 50;

std::int64_t value(const hc::Vec3& p, int thread, int step) {
  hc::Vec3 q = p;
  for (int dim = 0; dim < 3; ++dim) q[dim] = (p[dim] + extent[dim]) % extent[dim];
  return ((q.z * extent.y + q.y) * extent.x + q.x) * 1000 + step * 2 + thread;
}

struct Count {
  std::int64_t cells = 0;
  std::int64_t wrong = 0;
};

/// Domains of one thread, whose messages go by MPI or through shared memory.
Count work(MPI_Comm comm, int thread) {
  Count count;
  for (int round = 0; round < rounds; ++round) {
    hc::DomainOptions options;
    options.devices.kind = hc::DeviceKind::host;
    options.timeout = std::chrono::seconds(20);
    if ((thread + round) % 2 == 0) options.routing.policy.order = {hc::routing::Transport::mpi_staged};
    hc::Domain domain(extent, hc::Stencil::box(2), comm, options);
    const auto u = domain.add_field<std::int64_t>("u");
    domain.realize();
    for (int step = 0; step < steps; ++step) {
      for (const auto& s : domain.subdomains()) {
        const auto cells = s.view(u);
        hc::for_each_cell(cells.with_halo(),
                          [&](const hc::Vec3& p) { cells(p) = s.owned().contains(p) ? value(p, thread, step) : -1; });
      }
      domain.exchange();
      domain.synchronize();
      for (const auto& s : domain.subdomains()) {
        const auto cells = s.view(u);
        hc::for_each_cell(cells.with_halo(), [&](const hc::Vec3& p) {
          ++count.cells;
          count.wrong += cells(p) == value(p, thread, step) ? 0 : 1;
        });
      }
    }
    domain.close();
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (level < MPI_THREAD_MULTIPLE) {
    if (rank == 0) fmt::print("mpi_threads: skipped: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 77;
  }
  std::array<MPI_Comm, 2> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::array<Count, 2> counts;
  std::array<std::string, 2> errors;
  std::array<std::thread, 2> threads;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i] = std::thread([&, i] {
      try {
        counts[i] = work(comms[i], static_cast<int>(i));
      } catch (const std::exception& error) {
        errors[i] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) {
    if (error.empty()) continue;
    fmt::print(stderr, "rank {}: {}\n", rank, error);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::array<std::int64_t, 2> all{counts[0].cells + counts[1].cells, counts[0].wrong + counts[1].wrong};
  MPI_Allreduce(MPI_IN_PLACE, all.data(), 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) fmt::print("{} cells, {} wrong\n", all[0], all[1]);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Finalize();
  return all[1] == 0 ? 0 : 1;
}
