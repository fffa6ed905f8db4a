// SPDX-License-Identifier: BSD-3-Clause
// mpirun -n 2 bench_exchange_baselines [cells [radius [repetitions [grid x y z]]]] One fp64 field, cells^3 a rank,
// all contenders in one run: barrier, exchange, maximum over ranks. Contenders take turns in rounds of 20 exchanges
// each, so that all see the same machine, and each finds its own arrays in the caches as a code does that does
// nothing but exchange.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "contender.hpp"
#include "partition/strategy.hpp"

namespace halocline::bench {
namespace {

double timed(Contender& contender) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  contender.exchange();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double percentile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
}

int run(int argc, char** argv) {
  int ranks = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto argument = [&](int i, long fallback) { return argc > i ? std::atol(argv[i]) : fallback; };
  const std::int64_t cells = argument(1, 128);
  Workload workload{Vec3::filled(cells), {}, argument(2, 3)};
  workload.grid = partition::exact_node_grid(Vec3::filled(cells * ranks), Stencil::box(workload.radius), ranks);
  if (argc > 6) workload.grid = {argument(4, 1), argument(5, 1), argument(6, 1)};
  if (workload.grid.volume() != ranks) {
    if (rank == 0) fmt::print(stderr, "the grid {} is not one of {} ranks\n", to_string(workload.grid), ranks);
    return 2;
  }
  const long repetitions = argument(3, 200);

  std::vector<std::unique_ptr<Contender>> contenders;
  for (const auto transport : {routing::Transport::direct, routing::Transport::ipc_copy, routing::Transport::mpi_device,
                               routing::Transport::mpi_staged}) {
    contenders.push_back(make_halocline(workload, transport));
  }
  contenders.push_back(make_subarrays(workload));
  contenders.push_back(make_neighbourhood(workload));
  contenders.push_back(make_packed(workload));

  long wrong = 0;
  for (auto& contender : contenders) {
    contender->fill();
    contender->exchange();
    MPI_Barrier(MPI_COMM_WORLD);
    long mine = contender->wrong_cells();
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (mine > 0 && rank == 0) fmt::print("{}: {} wrong halo cells\n", contender->name(), mine);
    wrong += mine;
    for (int i = 0; i < 5; ++i) contender->exchange();
  }
  std::vector<std::vector<double>> times(contenders.size());
  constexpr long exchanges_a_round = 20;
  for (long done = 0; done < repetitions; done += exchanges_a_round) {
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      for (int i = 0; i < 3; ++i) contenders[c]->exchange();
      for (long i = 0; i < exchanges_a_round; ++i) times[c].push_back(timed(*contenders[c]));
    }
  }
  if (rank == 0) {
    const Vec3 outer = workload.cells + Vec3::filled(2 * workload.radius);
    const double megabytes = static_cast<double>(outer.volume() - workload.cells.volume()) * 8e-6;
    fmt::print(
        "{} ranks as {} x {} x {}, {}^3 cells each, radius {}, one fp64 field, {:.2f} MB in a rank, {} repetitions\n",
        ranks, workload.grid.x, workload.grid.y, workload.grid.z, cells, workload.radius, megabytes, repetitions);
    fmt::print("{:<28} {:>10} {:>10} {:>10} {:>10}\n", "contender", "min us", "median us", "p75 us", "GB/s");
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const double median = percentile(times[c], 0.5);
      fmt::print("{:<28} {:>10.0f} {:>10.0f} {:>10.0f} {:>10.2f}\n", contenders[c]->name(),
                 percentile(times[c], 0) * 1e6, median * 1e6, percentile(times[c], 0.75) * 1e6,
                 megabytes * 1e-3 / median);
    }
  }
  contenders.clear();
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    const int code = halocline::bench::run(argc, argv);
    MPI_Finalize();
    return code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_exchange_baselines: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}
