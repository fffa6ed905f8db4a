// SPDX-License-Identifier: BSD-3-Clause
// MPI_Finalize is called while a domain is open, whose messages go by the transport that the argument names. Nothing of the domain may
// call MPI after it: not a thread of its own, and not the next exchange, which is one error.
#include <fmt/core.h>
#include <mpi.h>

#include <chrono>
#include <string>
#include <thread>

#include "halocline/halocline.hpp"
#include "halocline/mpi.hpp"

namespace {

/// What an exchange throws, with the seconds that it takes.
std::string error_of(hc::Domain& domain) {
  const auto start = std::chrono::steady_clock::now();
  try {
    domain.exchange();
    domain.synchronize();
  } catch (const hc::Error& error) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return fmt::format("{}, {}", took.count() < 2 ? "at once" : "late", error.what());
  }
  return "no error";
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (level < MPI_THREAD_MULTIPLE) {
    if (rank == 0) fmt::print("open_at_finalize: skipped: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 77;
  }
  hc::DomainOptions options;
  options.devices.kind = hc::DeviceKind::host;
  options.timeout = std::chrono::seconds(5);
  const std::string transport = argc > 1 ? argv[1] : "";
  options.routing.policy.order = {transport == "net" ? hc::routing::Transport::net
                                                     : hc::routing::Transport::mpi_staged};
  hc::Domain domain({8, 8, 16}, hc::Stencil::box(1), MPI_COMM_WORLD, options);
  domain.add_field<double>("u");
  domain.realize();
  domain.exchange();
  domain.synchronize();
  MPI_Finalize();
  // A thread that went on would call MPI many times by now.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  fmt::print("rank {}: {}\n", rank, error_of(domain));
  std::fflush(stdout);
  return 0;
}
