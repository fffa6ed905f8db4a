// One Session in the way that the first argument says; ctest looks at what is printed and at how the job ends.
#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "halocline/comm/twins.hpp"

using namespace halocline;

namespace {

std::string mpi_state() {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return finalised != 0 ? "MPI finalised" : initialised != 0 ? "MPI active" : "MPI untouched";
}

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

/// Rank 1 stops (SIGSTOP) or ends (SIGKILL); rank 0 must be told by the deadline, or end with the job.
void lose_peer(comm::Session& session, int signal) {
  auto& world = session.world();
  if (world.size() != 2) throw InvalidArgument("this mode needs 2 ranks");
  const auto pids = world.all_gather_value(::getpid());
  if (world.rank() == rank_id(1)) ::raise(signal);
  world.set_timeout(std::chrono::milliseconds(500));
  try {
    world.barrier();
  } catch (const Error& error) {
    say(error.what());
    if (signal == SIGSTOP) ::kill(pids[1], SIGKILL);
    session.abort(3);
  }
}

int run(const std::string& mode, int argc, char** argv) {
  std::string line;
  if (mode == "initialised") MPI_Init(&argc, &argv);
  {
    comm::Session session(&argc, &argv, Environment::read());
    auto& world = session.world();
    line = fmt::format("{} twin, rank {} of {}, {}", to_string(world.twin()), world.rank().value(), world.size(),
                       mpi_state());
    if (mode == "stopped") lose_peer(session, SIGSTOP);
    if (mode == "killed") lose_peer(session, SIGKILL);
    if (mode == "unclosed") {
      for (int i = 0; i < 3; ++i) (void)world.split(0, 0);
    }
    if (mode == "throw" && world.rank() == rank_id(0)) throw DeviceError("rank 0 throws");
    if (mode == "abort") {
      if (world.rank() == rank_id(0)) session.abort(3);
      std::this_thread::sleep_for(std::chrono::seconds(50));
    }
  }
  say(line + ", then " + mpi_state());
  if (mode == "initialised") MPI_Finalize();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "report", argc, argv);
  } catch (const Error& error) {
    say(fmt::format("{}: {}", to_string(error.kind()), error.what()));
    return 1;
  }
}
