// SPDX-License-Identifier: BSD-3-Clause
// lost_rank <transport> stopped|killed|left <seconds> <folder> [by_node]: rank 1 of at least 3 stops or dies between start and
// finish of the fourth exchange, or destroys its domain before it without close(); the others must get an error within the
// given time, and each writes it as one line into a file of the folder: a launcher may mix what ranks print.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "comm/gather.hpp"
#include "device/cuda_backend.hpp"
#include "halocline/halocline.hpp"

using namespace halocline;

namespace {

void print(const std::string& line) {
  const std::string whole = line + "\n";
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, whole.data(), whole.size());
}

int run(const std::string& transport, const std::string& fate, double seconds, const std::string& folder, int argc,
        char** argv) {
  comm::Session session(&argc, &argv, Environment::read());
  comm::RankGroup& world = session.world();
  DomainOptions options;
  if (device::cuda_devices().empty()) options.devices.per_rank = 2;
  options.timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  options.routing.policy.order = {routing::transport_from_string(transport), routing::Transport::self,
                                  routing::Transport::mpi_staged};
  options.routing.net_engine = routing::net_engine_from_string(Environment::read().net_engine);
  if (transport == "mpi_staged") options.routing.policy.order = {routing::Transport::mpi_staged};
  if (argc > 5 && std::string(argv[5]) == "by_node") options.routing.messages = routing::Messages::by_node;
  auto domain = std::make_unique<Domain>(Vec3{16, 16, 48}, Stencil::box(2), world, options);
  domain->add_field<double>("u");
  domain->realize();
  for (int step = 0; step < 3; ++step) domain->exchange();
  domain->synchronize();
  world.barrier();
  const auto pids = comm::gather_value(world, static_cast<std::int64_t>(::getpid()));

  const auto start = std::chrono::steady_clock::now();
  std::string error = "no error";
  try {
    if (world.rank() == rank_id(1)) {
      if (fate == "killed") ::raise(SIGKILL);
      if (fate == "left") {
        domain.reset();
        std::this_thread::sleep_for(std::chrono::seconds(5));  // the process stays alive
        ::_exit(0);
      }
      [[maybe_unused]] const auto exchange = domain->start_exchange();
      ::raise(SIGSTOP);
    }
    // The last messages of a killed rank may still arrive; missing ones must be detected.
    for (int step = 0; step < 4; ++step) {
      domain->exchange();
      domain->synchronize();
    }
  } catch (const Error& caught) {
    error = fmt::format("{}: {}", to_string(caught.kind()), caught.what());
  }
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::ofstream(fmt::format("{}/survivor-{}", folder, world.rank().value()))
      << fmt::format("survivor {} after {:.1f} s: {}\n", world.rank().value(), took, error);
  // The other survivors write their errors before the job is aborted.
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  // By one of them: later, the number may be another process's.
  if (fate == "stopped" && world.rank() == rank_id(0)) ::kill(static_cast<pid_t>(pids[1]), SIGKILL);
  ::_exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    print("usage: lost_rank <transport> stopped|killed|left <seconds> <folder> [by_node]");
    return 2;
  }
  const char* backend = std::getenv("HALOCLINE_BACKEND");
  if (backend != nullptr && std::string(backend) == "cuda" && device::cuda_devices().empty()) {
    print("skipped: no GPU");
    return 77;
  }
  try {
    return run(argv[1], argv[2], std::atof(argv[3]), argv[4], argc, argv);
  } catch (const std::exception& error) {
    print(fmt::format("unexpected: {}", error.what()));
    return 1;
  }
}
