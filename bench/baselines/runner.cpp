// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/runner.hpp"

#include <algorithm>

#include "support/barrier.hpp"
#include "support/sampling.hpp"

namespace halocline::bench {
namespace {

/// Seconds that work takes, the slowest rank's.
double timed(comm::RankGroup& world, const std::function<void()>& work) {
  start_together(world);
  const double begin = now();
  work();
  return world.all_reduce(now() - begin, comm::Reduction::max);
}

}  // namespace

void Runner::choose(int variant) {
  variant_ = variant;
  turn_->way->choose(variant);
  graphs_.clear();
}

void Runner::launch(int times) {
  auto& graph = graphs_[{times, turn_->side}];
  if (!graph) graph = turn_->way->record(times, turn_->side);
  graph();
  turn_->side = (turn_->side + times) % 2;
}

void Runner::run(int times) {
  turn_->way->choose(variant_);
  if (in_graphs_) {
    for (; times >= exchanges_a_graph; times -= exchanges_a_graph) launch(exchanges_a_graph);
    for (; times > 0; --times) launch(1);
    return;
  }
  for (; times > 0; --times) {
    turn_->way->exchange(turn_->side);
    turn_->side = 1 - turn_->side;
  }
}

void Runner::tune(comm::RankGroup& world) {
  constexpr int rounds = 3;
  int best = 0;
  double least = 0;
  const int variants = turn_->way->variants();
  for (int v = 0; v < variants && variants > 1; ++v) {
    choose(v);
    run(exchanges_a_graph);
    synchronize();
    double seconds = 0;
    for (int i = 0; i < rounds; ++i) {
      const double once = timed(world, [&] {
        run(exchanges_a_graph);
        synchronize();
      });
      seconds = i == 0 ? once : std::min(seconds, once);
    }
    if (v > 0 && seconds >= least) continue;
    best = v;
    least = seconds;
  }
  choose(best);
  // From both sides, so that nothing is captured while exchanges are timed.
  for (int i = 0; i < 2; ++i) {
    run(exchanges_a_graph);
    run(1);
  }
  synchronize();
  world.barrier();
}

std::int64_t Runner::wrong_after(comm::RankGroup& world, int times, std::uint32_t round) {
  const Cells& cells = turn_->way->cells();
  fill(cells, round, nullptr);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  world.barrier();
  run(times);
  synchronize();
  // A rank may be done before its neighbours have taken what it sends.
  world.barrier();
  return world.all_reduce(wrong_cells(cells, round, nullptr), comm::Reduction::sum);
}

std::string Runner::text() {
  turn_->way->choose(variant_);
  return turn_->way->text();
}

TransferTimes time_transfer(comm::RankGroup& world, Turn& turn) {
  constexpr int times = 20;
  constexpr int rounds = 4;  // the first one warms up
  TransferTimes best;
  for (int round = 0; round < rounds; ++round) {
    const double way = timed(world, [&] {
      for (int i = 0; i < times; ++i) {
        turn.way->transfer(turn.side);
        turn.side = 1 - turn.side;
      }
      turn.way->synchronize();
    });
    world.barrier();
    const double plain = timed(world, [&] { turn.way->plain(times); });
    if (round == 0) continue;
    best.way = round == 1 ? way : std::min(best.way, way);
    best.plain = round == 1 ? plain : std::min(best.plain, plain);
  }
  best.way /= times;
  best.plain /= times;
  return best;
}

}  // namespace halocline::bench
