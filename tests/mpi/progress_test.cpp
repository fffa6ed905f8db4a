// SPDX-License-Identifier: BSD-3-Clause
// When a rank that waits for something else calls MPI. Replaces MPI_Iprobe, to count its calls.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstddef>

#include "contract/comm/comm_contract.hpp"
#include "core/clock.hpp"
#include "halocline/mpi.hpp"

namespace {

int probes = 0;      ///< with a given source
int roll_calls = 0;  ///< with any source: looks for roll calls and errors of other ranks

}  // namespace

extern "C" int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  ++(source == MPI_ANY_SOURCE ? roll_calls : probes);
  return PMPI_Iprobe(source, tag, comm, flag, status);
}

namespace halocline::test {
namespace {

/// Calls of MPI in so many calls of make_progress().
int probes_of(comm::RankGroup& comm, int calls) {
  probes = 0;
  for (int i = 0; i < calls; ++i) comm.make_progress();
  return probes;
}

TEST(MpiProgress, EachCallCallsMpi) {
  const auto comm = comm::from_mpi(MPI_COMM_WORLD, std::chrono::seconds(20)).release();
  EXPECT_EQ(probes_of(*comm, 10), 10);
  comm->close();
}

TEST(MpiProgress, ATestOfAMessageIsCallEnough) {
  const auto comm = comm::from_mpi(MPI_COMM_WORLD, std::chrono::seconds(20)).release();
  if (comm->size() > 1) {
    std::array<std::byte, 8> in{};
    const std::array<std::byte, 8> out{};
    const auto receive = comm->receive(in, previous(*comm), 1);
    (void)receive->test();
    EXPECT_EQ(probes_of(*comm, 10), 9);
    const auto send = comm->send(out, next(*comm), 1);
    finish(*comm, *receive);
    finish(*comm, *send);
  }
  comm->close();
}

/// A rank that waits for its devices, say, answers those that look for a missing one.
TEST(MpiProgress, LooksForRollCallsNowAndThen) {
  const auto comm = comm::from_mpi(MPI_COMM_WORLD, std::chrono::seconds(20)).release();
  roll_calls = 0;
  for (const Deadline deadline(Clock::steady(), std::chrono::seconds(2)); roll_calls < 2 && !deadline.expired();)
    comm->make_progress();
  if (comm->size() > 1) {
    EXPECT_GE(roll_calls, 2);
  }
  comm->close();
}

TEST(MpiProgress, AnUnusableGroupDoesNotCallMpi) {
  const auto comm = comm::from_mpi(MPI_COMM_WORLD, std::chrono::seconds(20)).release();
  comm->poison();
  EXPECT_EQ(probes_of(*comm, 10), 0);
  comm->close();
}

}  // namespace
}  // namespace halocline::test
