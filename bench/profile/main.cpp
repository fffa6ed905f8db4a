// SPDX-License-Identifier: BSD-3-Clause
// Times calls with and without the profiling library in one process, in turns: MPI_ goes through it, PMPI_ does not. The
// least time of many short rounds is what the work takes when nothing else comes between.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace {

constexpr int rounds = 2000;
constexpr int calls = 200;

template <typename Call>
double nanoseconds(Call&& call) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call();
  return (MPI_Wtime() - begin) * 1e9 / calls;
}

template <typename Watched, typename Plain>
void compare(const char* name, Watched&& watched, Plain&& plain) {
  double with = 1e9;
  double without = 1e9;
  for (int round = 0; round < rounds; ++round) {
    without = std::min(without, nanoseconds(plain));
    with = std::min(with, nanoseconds(watched));
  }
  std::printf("%-28s %7.1f ns without, %7.1f ns with, %6.1f ns more\n", name, without, with, with - without);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  std::array<char, 8> in{}, out{};
  const auto exchange = [&](auto isend, MPI_Comm comm) {
    std::array<MPI_Request, 2> requests{};
    PMPI_Irecv(in.data(), 8, MPI_CHAR, 0, 0, comm, requests.data());
    isend(out.data(), 8, MPI_CHAR, 0, 0, comm, &requests[1]);
    PMPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  };
  compare(
      "MPI_Isend in the world", [&] { exchange(MPI_Isend, MPI_COMM_WORLD); },
      [&] { exchange(PMPI_Isend, MPI_COMM_WORLD); });
  compare(
      "MPI_Isend in a communicator", [&] { exchange(MPI_Isend, copy); }, [&] { exchange(PMPI_Isend, copy); });
  std::array<MPI_Request, 2> requests{};
  PMPI_Recv_init(in.data(), 8, MPI_CHAR, 0, 0, copy, requests.data());
  MPI_Send_init(out.data(), 8, MPI_CHAR, 0, 0, copy, &requests[1]);
  const auto start = [&](auto begin) {
    begin(requests.data());
    begin(&requests[1]);
    PMPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  };
  compare(
      "MPI_Start of both ends", [&] { start(MPI_Start); }, [&] { start(PMPI_Start); });
  compare(
      "MPI_Allreduce", [&] { MPI_Allreduce(out.data(), in.data(), 1, MPI_INT, MPI_SUM, copy); },
      [&] { PMPI_Allreduce(out.data(), in.data(), 1, MPI_INT, MPI_SUM, copy); });
  for (auto& request : requests) MPI_Request_free(&request);
  MPI_Comm_free(&copy);
  MPI_Finalize();
}
