// SPDX-License-Identifier: BSD-3-Clause
// Uses one Session in the mode of the first argument; ctest checks the output and how the job ends.
#include <fmt/core.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "comm/agree.hpp"
#include "comm/rank_group.hpp"
#include "comm/requests.hpp"
#include "halocline/session.hpp"
#include "launched_first.hpp"
#include "support/few_allocations.hpp"

using namespace halocline;

namespace {

std::string mpi_state() {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return finalised != 0 ? "MPI finalised" : initialised != 0 ? "MPI active" : "MPI untouched";
}

/// The mode for the MPI functions replaced below: each blocks rank 1 in one mode.
std::string stays_in;

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

/// Rank 1 stops (SIGSTOP) or dies (SIGKILL); rank 0 must get an error by the deadline, or end with the job.
void lose_peer(comm::Session& session, int signal) {
  halocline::comm::RankGroup& world = session.world();
  if (world.size() != 2) throw InvalidArgument("this mode needs 2 ranks");
  const bool lost = world.rank() == rank_id(1);
  const std::int64_t pid = world.all_reduce(lost ? std::int64_t{::getpid()} : 0, comm::Reduction::sum);
  if (lost) ::raise(signal);
  world.set_timeout(std::chrono::milliseconds(500));
  try {
    world.barrier();
  } catch (const Error& error) {
    say(error.what());
    if (signal == SIGSTOP) ::kill(static_cast<pid_t>(pid), SIGKILL);
    session.abort(3);
  }
}

/// Ranks that reduce different numbers of values: an error of MPI, on one rank or on both.
void mismatch(comm::Session& session) {
  halocline::comm::RankGroup& world = session.world();
  world.set_timeout(std::chrono::seconds(2));
  std::vector<double> values(world.rank() == rank_id(0) ? 1 : 4096);
  try {
    for (int i = 0; i < 4; ++i) world.all_reduce(values, comm::Reduction::sum);
    say("no error");
  } catch (const Error& error) {
    say(fmt::format("rank {} got an error of Halocline: {}", world.rank().value(), error.what()));
    std::this_thread::sleep_for(std::chrono::seconds(3));  // the other rank gets its own error
    session.abort(3);
  }
}

/// Exits only after the child, in which this rank ran, has exited. Prints to the same stream as the log, because
/// launchers may reorder lines of two streams.
int in_a_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) std::exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  fmt::print(stderr, "the process ended with status {}\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  return 0;
}

constexpr auto clean_up_time = std::chrono::milliseconds(100);
std::optional<std::chrono::steady_clock::time_point> failed_at;

/// Rank 1 fails; rank 0, which waits for it, has something to do before it ends.
void clean_up(comm::RankGroup& world) {
  if (world.rank() == rank_id(1)) {
    failed_at = std::chrono::steady_clock::now();
    throw DeviceError("rank 1 throws");
  }
  try {
    world.barrier();
  } catch (const Error&) {
    std::this_thread::sleep_for(clean_up_time);
    fmt::print(stderr, "rank 0 has cleaned up\n");
    throw;
  }
}

bool finalized_fails = false;

/// A receive that is under way is destroyed while MPI does not tell its state.
void destroy_without_state(comm::RankGroup& world) {
  std::vector<std::byte> bytes(8);
  auto receive = world.receive(bytes, rank_id((world.rank().value() + 1) % 2), 1);
  finalized_fails = true;
  receive.reset();
  finalized_fails = false;
  throw DeviceError("the receive is destroyed");
}

/// A receive is begun again and again, with one more allocation that succeeds each time.
void receive_with_few_allocations(comm::RankGroup& world) {
  const rank_id other((world.rank().value() + 1) % 2);
  std::vector<std::byte> in(8), out(8, std::byte{7});
  std::unique_ptr<comm::Request> receive;
  int failed = 0;
  while (!receive) {
    test::allocations_left = failed;
    try {
      receive = world.receive(in, other, 1);
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    test::allocations_left = -1;
  }
  const auto send = world.send(out, other, 1);
  comm::wait_for_others(
      world, [&] { return receive->test() && send->test(); }, world.timeout(), "a message");
  say(fmt::format("rank {}: {} receives had no memory, {}", world.rank().value(), failed,
                  in == out ? "and the message has come" : "but the message is wrong"));
}

int run(const std::string& mode, int argc, char** argv) {
  std::string line;
  if (mode == "absent" && is_launched_first()) return 0;  // never calls MPI_Init
  stays_in = mode;
  if (mode == "initialised") MPI_Init(&argc, &argv);
  {
    comm::Session session(&argc, &argv, Environment::read());
    halocline::comm::RankGroup& world = session.world();
    line = fmt::format("{} backend, rank {} of {}, {}", to_string(world.backend()), world.rank().value(), world.size(),
                       mpi_state());
    if (mode == "stopped") lose_peer(session, SIGSTOP);
    if (mode == "killed") lose_peer(session, SIGKILL);
    if (mode == "unclosed") {
      for (int i = 0; i < 3; ++i) (void)world.split(0, 0);
    }
    if (mode == "nodes") world.split_by_node(1)->close();
    if (mode == "mismatch") mismatch(session);
    if (mode == "split") (void)world.split(0, 0);
    if (mode == "free") world.split(0, 0)->close();
    if (mode == "late") {
      // The destructor of rank 0 waits for rank 1 until its deadline.
      world.set_timeout(std::chrono::milliseconds(500));
      if (world.rank() == rank_id(1)) std::this_thread::sleep_for(std::chrono::seconds(3));
    }
    if (mode == "throw" && world.rank() == rank_id(0)) throw DeviceError("rank 0 throws");
    if (mode == "cleans_up") clean_up(world);
    if (mode == "few_allocations") receive_with_few_allocations(world);
    if (mode == "stateless") destroy_without_state(world);
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

/// In this mode rank 1 does not return from the call.
static void stay(const char* mode) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (stays_in == mode && rank == 1) std::this_thread::sleep_for(std::chrono::seconds(40));
}

extern "C" int MPI_Finalize() {
  stay("lost_at_end");
  return PMPI_Finalize();
}

extern "C" int MPI_Finalized(int* flag) { return finalized_fails ? MPI_ERR_OTHER : PMPI_Finalized(flag); }

extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  stay("split");
  return PMPI_Comm_split(comm, color, key, made);
}

extern "C" int MPI_Comm_free(MPI_Comm* comm) {
  stay("free");
  return PMPI_Comm_free(comm);
}

int main(int argc, char** argv) {
  try {
    const std::string mode = argc > 1 ? argv[1] : "report";
    if (mode == "late") return in_a_child([&] { return run(mode, argc, argv); });
    return run(mode, argc, argv);
  } catch (const Error& error) {
    // To the same stream as the log: see in_a_child().
    fmt::print(stderr, "{}: {}\n", to_string(error.kind()), error.what());
    if (failed_at && std::chrono::steady_clock::now() - *failed_at >= clean_up_time)
      fmt::print(stderr, "rank 1 has waited for rank 0\n");
    return 1;
  }
}
