// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "baselines/ceiling.hpp"
#include "baselines/way.hpp"

namespace halocline::bench {

inline constexpr int exchanges_a_graph = 20;

/// A way with the side that its next exchange takes.
struct Turn {
  std::unique_ptr<Way> way;
  int side = 0;
};

/// Runs a way one by one or in graphs, in one of its variants. Several runners may share a way.
class Runner {
 public:
  Runner(Turn& turn, bool in_graphs) : turn_(&turn), in_graphs_(in_graphs) {}

  /// Enqueues exchanges; in graphs of 20, and of 1 for what is left over.
  void run(int times);
  void synchronize() { turn_->way->synchronize(); }
  /// Collective: times the way's variants and keeps the fastest. What graphs need is captured at return.
  void tune(comm::RankGroup& world);
  /// Collective: the number of wrong cells, over all ranks, after filling once and exchanging this many times.
  [[nodiscard]] std::int64_t wrong_after(comm::RankGroup& world, int times, std::uint32_t round);
  [[nodiscard]] bool in_graphs() const { return in_graphs_; }
  [[nodiscard]] std::string text();

 private:
  void choose(int variant);
  void launch(int times);

  Turn* turn_;
  bool in_graphs_;
  int variant_ = 0;
  std::map<std::pair<int, int>, std::function<void()>> graphs_;  ///< by times and first side
};

/// Collective; slowest rank, best of a few rounds.
[[nodiscard]] TransferTimes time_transfer(comm::RankGroup& world, Turn& turn);

}  // namespace halocline::bench
