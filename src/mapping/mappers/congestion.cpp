// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "core/at.hpp"
#include "mapping/mappers/mappers.hpp"
#include "mapping/mappers/place_loads.hpp"

// Mappings are compared by their congestions, sorted from the largest. For two mappings that differ in a few channels
// it is sufficient to compare these channels, so that the cost of a trial depends on what it touches. Loads are
// integers and a congestion is one division, so the comparison is the same on every machine.
namespace halocline::mapping::detail {
namespace {

class Refinement {
 public:
  Refinement(const MappingProblem& problem, const Peers& peers, std::vector<int> place_of)
      : topology_(*problem.topology),
        peers_(peers),
        place_of_(std::move(place_of)),
        by_place_(peers_, topology_, place_of_),
        room_(problem.capacity),
        loads_(channel_loads(*problem.matrix, topology_, place_of_)),
        congestions_(loads_.size()),
        change_(loads_.size(), 0),
        is_touched_(loads_.size(), false),
        is_tried_(place_of_.size(), false) {
    for (const int place : place_of_) --room_[at(place)];
    for (std::size_t c = 0; c < loads_.size(); ++c) congestions_[c] = congestion(static_cast<int>(c), loads_[c]);
  }

  /// From the most congested channel on: what crosses it is moved or swapped as long as that helps. A process whose
  /// moves and swaps all failed is not tried again before something changed.
  /// False where the budget was spent first.
  bool run(Budget& budget) {
    std::vector<bool> hopeless(loads_.size(), false);
    for (int hot = hottest(hopeless); hot >= 0; hot = hottest(hopeless)) {
      const Outcome outcome = relieve(hot, budget);
      if (outcome == Outcome::spent) return false;
      if (outcome == Outcome::better) {
        std::fill(hopeless.begin(), hopeless.end(), false);
        std::fill(is_tried_.begin(), is_tried_.end(), false);
      } else {
        hopeless[at(hot)] = true;
      }
    }
    return true;
  }

  [[nodiscard]] const std::vector<int>& places() const { return place_of_; }
  [[nodiscard]] std::vector<double> congestions() const {
    std::vector<double> sorted = congestions_;
    std::ranges::sort(sorted, std::greater<>{});
    return sorted;
  }

 private:
  enum class Outcome { better, no_better, spent };

  [[nodiscard]] double congestion(int channel, std::int64_t load) const {
    return static_cast<double>(load) / topology_.channels()[at(channel)].bandwidth;
  }

  [[nodiscard]] int hottest(const std::vector<bool>& hopeless) const {
    int hot = -1;
    double most = 0;
    for (int c = 0; c < static_cast<int>(loads_.size()); ++c) {
      if (hopeless[at(c)] || congestions_[at(c)] <= most) continue;
      hot = c;
      most = congestions_[at(c)];
    }
    return hot;
  }

  [[nodiscard]] bool crosses(int process, int channel) {
    if (by_place_.kept()) return by_place_.of(process, place_of_[at(process)])[at(channel)] > 0;
    const auto uses = [&](int from, int to) {
      const auto route = topology_.route(from, to, scratch_);
      return std::ranges::find(route, channel) != route.end();
    };
    const int here = place_of_[at(process)];
    return std::ranges::any_of(peers_[at(process)], [&](const Peer& peer) {
      const int there = place_of_[at(peer.process)];
      return (peer.sent > 0 && uses(here, there)) || (peer.received > 0 && uses(there, here));
    });
  }

  Outcome relieve(int channel, Budget& budget) {
    const int processes = static_cast<int>(place_of_.size());
    for (int p = 0; p < processes; ++p) {
      if (is_tried_[at(p)] || !crosses(p, channel)) continue;
      for (int place = 0; place < topology_.places(); ++place) {
        if (room_[at(place)] == 0 || place == place_of_[at(p)]) continue;
        if (!budget.take()) return Outcome::spent;
        if (try_move(p, place)) return Outcome::better;
      }
      for (int q = 0; q < processes; ++q) {
        if (place_of_[at(p)] == place_of_[at(q)]) continue;
        if (!budget.take()) return Outcome::spent;
        if (try_swap(p, q)) return Outcome::better;
      }
      is_tried_[at(p)] = true;
    }
    return Outcome::no_better;
  }

  bool try_move(int process, int place) {
    const int before = place_of_[at(process)];
    if (by_place_.kept()) {
      const auto now = by_place_.of(process, before);
      const auto then = by_place_.of(process, place);
      for (std::size_t c = 0; c < now.size(); ++c) set_change(static_cast<int>(c), then[c] - now[c]);
    } else {
      shift(process, before, -1, -1);
      shift(process, place, 1, -1);
    }
    if (!settle()) return false;
    if (by_place_.kept()) by_place_.moved(process, before, place);
    place_of_[at(process)] = place;
    ++room_[at(before)];
    --room_[at(place)];
    return true;
  }

  bool try_swap(int p, int q) {
    const int a = place_of_[at(p)];
    const int b = place_of_[at(q)];
    if (by_place_.kept()) return try_swap_by_place(p, q, a, b);
    shift(p, a, -1, -1);
    shift(q, b, -1, p);  // what they exchange counts once
    std::swap(place_of_[at(p)], place_of_[at(q)]);
    shift(p, b, 1, -1);
    shift(q, a, 1, p);
    if (settle()) return true;
    std::swap(place_of_[at(p)], place_of_[at(q)]);
    return false;
  }

  /// The same if loads are kept: the loads of p assume q at b, the loads of q assume p at a.
  bool try_swap_by_place(int p, int q, int a, int b) {
    const auto p_now = by_place_.of(p, a);
    const auto p_then = by_place_.of(p, b);
    const auto q_now = by_place_.of(q, b);
    const auto q_then = by_place_.of(q, a);
    for (std::size_t c = 0; c < p_now.size(); ++c) {
      set_change(static_cast<int>(c), p_then[c] - p_now[c] + q_then[c] - q_now[c]);
    }
    // Both rows have it go away; it stays, in the other direction.
    if (const std::int64_t shared = by_place_.between(p, q); shared > 0) {
      touch(a, b, shared);
      touch(b, a, shared);
    }
    if (!settle()) return false;
    by_place_.moved(p, a, b);
    by_place_.moved(q, b, a);
    std::swap(place_of_[at(p)], place_of_[at(q)]);
    return true;
  }

  /// Adds what a process exchanges with all but one to the changes, as if it were at a place.
  void shift(int process, int place, int sign, int without) {
    for (const Peer& peer : peers_[at(process)]) {
      if (peer.process == without) continue;
      const int other = place_of_[at(peer.process)];
      if (peer.sent > 0) touch(place, other, sign * peer.sent);
      if (peer.received > 0) touch(other, place, sign * peer.received);
    }
  }

  /// Of a channel that is not touched yet.
  void set_change(int channel, std::int64_t bytes) {
    if (bytes == 0) return;
    is_touched_[at(channel)] = true;
    touched_.push_back(channel);
    change_[at(channel)] = bytes;
  }

  void touch(int from, int to, std::int64_t bytes) {
    for (const int channel : topology_.route(from, to, scratch_)) {
      if (!is_touched_[at(channel)]) {
        is_touched_[at(channel)] = true;
        touched_.push_back(channel);
      }
      change_[at(channel)] += bytes;
    }
  }

  /// Accepts the changes if they are an improvement, otherwise discards them.
  bool settle() {
    const bool better = is_better();
    for (const int channel : touched_) {
      if (better) {
        loads_[at(channel)] += change_[at(channel)];
        congestions_[at(channel)] = congestion(channel, loads_[at(channel)]);
      }
      change_[at(channel)] = 0;
      is_touched_[at(channel)] = false;
    }
    touched_.clear();
    return better;
  }

  /// Most trials are decided by the largest congestions before and after.
  bool is_better() {
    double most_before = 0;
    double most_after = 0;
    for (const int channel : touched_) {
      if (change_[at(channel)] == 0) continue;
      most_before = std::max(most_before, congestions_[at(channel)]);
      most_after = std::max(most_after, changed_congestion(channel));
    }
    return most_before != most_after ? most_after < most_before : most_before > 0 && is_better_in_all();
  }

  bool is_better_in_all() {
    before_.clear();
    after_.clear();
    for (const int channel : touched_) {
      if (change_[at(channel)] == 0) continue;
      before_.push_back(congestions_[at(channel)]);
      after_.push_back(changed_congestion(channel));
    }
    std::ranges::sort(before_, std::greater<>{});
    std::ranges::sort(after_, std::greater<>{});
    return after_ < before_;
  }

  [[nodiscard]] double changed_congestion(int channel) const {
    return congestion(channel, loads_[at(channel)] + change_[at(channel)]);
  }

  const Topology& topology_;
  const Peers& peers_;
  std::vector<int> place_of_;
  PlaceLoads by_place_;
  std::vector<int> room_;
  std::vector<std::int64_t> loads_;
  std::vector<double> congestions_;
  std::vector<std::int64_t> change_;
  std::vector<char> is_touched_;  // not bool: read and written in the innermost loop
  std::vector<bool> is_tried_;
  std::vector<int> touched_;
  std::vector<int> scratch_;
  std::vector<double> before_;
  std::vector<double> after_;
};

}  // namespace

std::vector<int> map_congestion(const MappingProblem& problem, const Effort& effort, const MappedBy& mapped_by) {
  struct Start {
    std::vector<double> congestions;
    std::vector<int> place_of;
  };
  std::vector<Start> starts;
  const auto add = [&](std::vector<int> place_of) {
    auto congestions = sorted_congestions(problem, place_of);
    starts.push_back({std::move(congestions), std::move(place_of)});
  };
  add(map_in_order(problem));
  if (!is_large(*problem.topology)) add(mapped_by(Mapper::greedy));
  add(mapped_by(Mapper::partition));
  if (auto start = mapped_by(Mapper::scotch); !start.empty()) add(std::move(start));
  std::ranges::stable_sort(starts, {}, &Start::congestions);
  const auto repeated = std::ranges::unique(starts, {}, &Start::place_of);
  starts.erase(repeated.begin(), repeated.end());
  constexpr std::size_t most_starts = 4;
  starts.resize(std::min(starts.size(), most_starts));

  Effort each = effort;
  if (each.seconds) *each.seconds /= static_cast<double>(starts.size());
  Budget all(effort);
  const Peers peers = peers_of(*problem.matrix);
  std::vector<int> best;
  std::vector<double> least;
  for (const Start& start : starts) {
    Refinement refinement(problem, peers, start.place_of);
    Budget own(each);
    const bool is_done = refinement.run(effort.together ? all : own);
    auto congestions = refinement.congestions();
    if (best.empty() || congestions < least) {
      best = refinement.places();
      least = std::move(congestions);
    }
    if (!is_done && effort.together) break;  // the remaining starts are worse at the beginning, and would stay worse
  }
  return best;
}

}  // namespace halocline::mapping::detail

namespace halocline::mapping {

std::vector<int> refine(const MappingProblem& problem, std::vector<int> place_of, const Effort& effort) {
  const detail::Peers peers = detail::peers_of(*problem.matrix);
  detail::Refinement refinement(problem, peers, std::move(place_of));
  detail::Budget budget(effort);
  refinement.run(budget);
  return refinement.places();
}

std::vector<std::vector<int>> alternatives(const MappingProblem& problem, const std::vector<int>& start,
                                           const Effort& effort) {
  std::vector<std::vector<int>> found{start};
  if (!detail::is_large(*problem.topology)) found.push_back(detail::map_greedy(problem));
  found.push_back(detail::map_partition(problem, effort, {}));
  for (std::size_t i = 0, starts = found.size(); i < starts; ++i) found.push_back(refine(problem, found[i], effort));
  std::vector<std::pair<std::vector<double>, std::vector<int>>> sorted;
  for (std::vector<int>& place_of : found) {
    if (std::ranges::any_of(sorted, [&](const auto& known) { return known.second == place_of; })) continue;
    auto congestions = sorted_congestions(problem, place_of);
    sorted.emplace_back(std::move(congestions), std::move(place_of));
  }
  std::ranges::stable_sort(
      sorted, {}, [](const auto& one) -> const auto& { return one.first; });
  found.clear();
  for (auto& [congestions, place_of] : sorted) found.push_back(std::move(place_of));
  return found;
}

}  // namespace halocline::mapping
