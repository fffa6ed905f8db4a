// SPDX-License-Identifier: BSD-3-Clause
// mpirun -n 2 bench_exchange_baselines [cells [radius [repetitions [grid x y z [map]]]]] One fp64 field, cells^3 a rank,
// all contenders in one run: barrier, exchange, maximum over ranks. Contenders take turns in rounds of 20 exchanges
// each, so that all see the same machine, and each finds its own arrays in the caches as a code does that does
// nothing but exchange. On several nodes (for example scripts/virtual_nodes.sh -n 8 bench_exchange_baselines 16 1 200)
// Halocline's contenders are the values of --messages, by_neighbour twice and, with a machine map, auto on that map; and a sample is
// the mean of a round, back to back.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "contender.hpp"
#include "partition/strategy.hpp"

namespace halocline::bench {
namespace {

/// Of one of some exchanges back to back.
double timed(Contender& contender, long exchanges) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long i = 0; i < exchanges; ++i) contender.exchange();
  double seconds = (MPI_Wtime() - start) / static_cast<double>(exchanges);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double percentile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
}

/// By the communicator; 0 where they have different numbers of ranks.
int ranks_per_node() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  std::array<int, 2> size{};
  MPI_Comm_size(node, size.data());
  MPI_Comm_free(&node);
  size[1] = -size[0];
  MPI_Allreduce(MPI_IN_PLACE, size.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return size[0] == -size[1] ? size[0] : 0;
}

/// The grid of nodes if successive ranks, x fastest, fill one node after the other; empty if their parts are no boxes.
std::optional<Vec3> node_grid_of(const Vec3& grid, std::int64_t ranks) {
  Vec3 nodes = grid;
  for (int dim = 0; dim < 3; ++dim) {
    const std::int64_t here = std::min(ranks, grid[dim]);
    if (here == 0 || grid[dim] % here != 0 || ranks % here != 0) return std::nullopt;
    nodes[dim] = grid[dim] / here;
    ranks /= here;
  }
  return nodes;
}

std::vector<std::unique_ptr<Contender>> contenders_of(const Workload& workload, const std::optional<Machine>& map) {
  std::vector<std::unique_ptr<Contender>> contenders;
  const bool several_nodes = workload.node_grid.volume() > 1;
  if (several_nodes) {
    using routing::Messages;
    for (const auto messages : {Messages::by_neighbour, Messages::by_direction, Messages::by_rank, Messages::by_node,
                                Messages::by_neighbour}) {
      contenders.push_back(make_halocline(workload, messages));
    }
    if (map) contenders.push_back(make_halocline(workload, Messages::automatic, map));
  } else {
    using routing::Transport;
    for (const auto transport :
         {Transport::direct, Transport::ipc_copy, Transport::mpi_device, Transport::mpi_staged}) {
      contenders.push_back(make_halocline(workload, transport));
    }
  }
  contenders.push_back(make_subarrays(workload));
  contenders.push_back(make_neighbourhood(workload));
  contenders.push_back(make_packed_neighbourhood(workload));
  contenders.push_back(make_packed(workload));
  if (several_nodes) {
    contenders.push_back(make_leaders(workload, NodeBarrier::mpi));
    contenders.push_back(make_leaders(workload, NodeBarrier::counter));
  } else {
    contenders.push_back(make_shared_window(workload));
    contenders.push_back(make_copies_alone(workload));
  }
  return contenders;
}

int run(int argc, char** argv) {
  int ranks = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto argument = [&](int i, long fallback) { return argc > i ? std::atol(argv[i]) : fallback; };
  const std::int64_t cells = argument(1, 128);
  Workload workload{.cells = Vec3::filled(cells), .grid = {}, .radius = argument(2, 3)};
  workload.grid = partition::exact_node_grid(Vec3::filled(cells * ranks), Stencil::box(workload.radius), ranks);
  if (argc > 6) workload.grid = {argument(4, 1), argument(5, 1), argument(6, 1)};
  if (workload.grid.volume() != ranks) {
    if (rank == 0) fmt::print(stderr, "the grid {} is not one of {} ranks\n", to_string(workload.grid), ranks);
    return 2;
  }
  const long repetitions = argument(3, 200);

  const auto node_grid = node_grid_of(workload.grid, ranks_per_node());
  if (!node_grid) {
    if (rank == 0) fmt::print(stderr, "the grid {} has no box of subdomains on each node\n", to_string(workload.grid));
    return 2;
  }
  workload.node_grid = *node_grid;
  const bool several_nodes = workload.node_grid.volume() > 1;
  const std::vector<std::unique_ptr<Contender>> contenders =
      contenders_of(workload, argc > 7 ? std::optional(Machine::read(argv[7])) : std::nullopt);

  long wrong = 0;
  for (const auto& contender : contenders) {
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
      if (several_nodes) {
        times[c].push_back(timed(*contenders[c], exchanges_a_round));
      } else {
        for (long i = 0; i < exchanges_a_round; ++i) times[c].push_back(timed(*contenders[c], 1));
      }
    }
  }
  if (rank == 0) {
    const Vec3 outer = workload.cells + Vec3::filled(2 * workload.radius);
    const double megabytes = static_cast<double>(outer.volume() - workload.cells.volume()) * 8e-6;
    fmt::print(
        "{} ranks as {} x {} x {} on {} nodes, {}^3 cells each, radius {}, one fp64 field, {:.2f} MB in a rank, {} "
        "repetitions\n",
        ranks, workload.grid.x, workload.grid.y, workload.grid.z, workload.node_grid.volume(), cells, workload.radius,
        megabytes, repetitions);
    fmt::print("{:<28} {:>10} {:>10} {:>10} {:>10}\n", "contender", "min us", "median us", "p75 us", "GB/s");
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const double median = percentile(times[c], 0.5);
      fmt::print("{:<28} {:>10.0f} {:>10.0f} {:>10.0f} {:>10.2f}\n", contenders[c]->name(),
                 percentile(times[c], 0) * 1e6, median * 1e6, percentile(times[c], 0.75) * 1e6,
                 megabytes * 1e-3 / median);
    }
  }
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
