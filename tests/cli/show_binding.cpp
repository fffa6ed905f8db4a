// SPDX-License-Identifier: BSD-3-Clause
// An MPI program whose ranks print their place: rank, host, allowed processors, visible GPUs.
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::string processors;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) processors += (processors.empty() ? "" : ",") + std::to_string(cpu);
  }
  const char* devices = std::getenv("CUDA_VISIBLE_DEVICES");
  std::printf("rank %d host %s processors %s devices %s\n", rank, host.data(), processors.c_str(),
              devices == nullptr ? "unset" : devices);
  MPI_Finalize();
  return 0;
}
