#include <algorithm>
#include <numeric>

#include "mapping/mappers/mappers.hpp"
#include "mapping/mappers/place_volumes.hpp"

// Mappings are compared by their congestions, sorted from the largest. Two that differ in a few channels compare as those
// channels alone do, so that a trial costs what it touches. Loads are integers and a congestion is one division: the
// same comparison on every machine.
namespace halocline::mapping::detail {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class Refinement {
 public:
  Refinement(const MappingProblem& problem, const Peers& peers, std::vector<int> place_of)
      : topology_(*problem.topology),
        peers_(peers),
        place_of_(std::move(place_of)),
        volumes_(peers_, place_of_, topology_.places()),
        room_(problem.capacity),
        loads_(channel_loads(*problem.matrix, topology_, place_of_)),
        change_(loads_.size(), 0),
        is_touched_(loads_.size(), false),
        is_tried_(place_of_.size(), false) {
    for (const int place : place_of_) --room_[at(place)];
  }

  /// From the most congested channel on: what crosses it is moved or swapped as long as that helps. A process whose
  /// moves and swaps all failed is not tried again before something changed.
  void run(Budget& budget) {
    std::vector<bool> hopeless(loads_.size(), false);
    for (int hot = hottest(hopeless); hot >= 0; hot = hottest(hopeless)) {
      const Outcome outcome = relieve(hot, budget);
      if (outcome == Outcome::spent) return;
      if (outcome == Outcome::better) {
        std::fill(hopeless.begin(), hopeless.end(), false);
        std::fill(is_tried_.begin(), is_tried_.end(), false);
      } else {
        hopeless[at(hot)] = true;
      }
    }
  }

  [[nodiscard]] const std::vector<int>& places() const { return place_of_; }
  [[nodiscard]] std::vector<double> congestions() const {
    std::vector<double> sorted;
    for (std::size_t c = 0; c < loads_.size(); ++c) sorted.push_back(congestion(static_cast<int>(c), loads_[c]));
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
      const double one = congestion(c, loads_[at(c)]);
      if (hopeless[at(c)] || one <= most) continue;
      hot = c;
      most = one;
    }
    return hot;
  }

  [[nodiscard]] bool crosses(int process, int channel) {
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
    shift(process, before, -1, -1);
    shift(process, place, 1, -1);
    if (!settle()) return false;
    if (volumes_.kept()) volumes_.moved(process, before, place);
    place_of_[at(process)] = place;
    ++room_[at(before)];
    --room_[at(place)];
    return true;
  }

  bool try_swap(int p, int q) {
    const int a = place_of_[at(p)];
    const int b = place_of_[at(q)];
    if (volumes_.kept()) return try_swap_by_place(p, q, a, b);
    shift(p, a, -1, -1);
    shift(q, b, -1, p);  // what they exchange counts once
    std::swap(place_of_[at(p)], place_of_[at(q)]);
    shift(p, b, 1, -1);
    shift(q, a, 1, p);
    if (settle()) return true;
    std::swap(place_of_[at(p)], place_of_[at(q)]);
    return false;
  }

  /// The same where volumes are kept, which are those of the places at the time: q stands aside while p goes.
  bool try_swap_by_place(int p, int q, int a, int b) {
    const PlaceVolumes::Volume shared = volumes_.between(p, q);
    volumes_.add(q, a, -shared.received, -shared.sent);
    shift(p, a, -1, -1);
    shift(q, b, -1, -1);
    volumes_.add(p, b, -shared.sent, -shared.received);
    volumes_.add(p, a, shared.sent, shared.received);
    shift(p, b, 1, -1);
    shift(q, a, 1, -1);
    const bool better = settle();
    if (better) {
      volumes_.add(q, b, shared.received, shared.sent);
      volumes_.moved(p, a, b, q);
      volumes_.moved(q, b, a, p);
      std::swap(place_of_[at(p)], place_of_[at(q)]);
    } else {
      volumes_.add(q, a, shared.received, shared.sent);
      volumes_.add(p, a, -shared.sent, -shared.received);
      volumes_.add(p, b, shared.sent, shared.received);
    }
    return better;
  }

  /// Adds what a process exchanges with all but one to the changes, as if it were at a place.
  void shift(int process, int place, int sign, int without) {
    if (volumes_.kept()) {
      const auto volumes = volumes_.of(process);
      for (int other = 0; other < topology_.places(); ++other) {
        const PlaceVolumes::Volume& volume = volumes[at(other)];
        if (volume.sent > 0) touch(place, other, sign * volume.sent);
        if (volume.received > 0) touch(other, place, sign * volume.received);
      }
      return;
    }
    for (const Peer& peer : peers_[at(process)]) {
      if (peer.process == without) continue;
      const int other = place_of_[at(peer.process)];
      if (peer.sent > 0) touch(place, other, sign * peer.sent);
      if (peer.received > 0) touch(other, place, sign * peer.received);
    }
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

  /// Takes the changes where they make things better; forgets them else.
  bool settle() {
    before_.clear();
    after_.clear();
    for (const int channel : touched_) {
      if (change_[at(channel)] == 0) continue;
      before_.push_back(congestion(channel, loads_[at(channel)]));
      after_.push_back(congestion(channel, loads_[at(channel)] + change_[at(channel)]));
    }
    const bool better = is_better();
    for (const int channel : touched_) {
      if (better) loads_[at(channel)] += change_[at(channel)];
      change_[at(channel)] = 0;
      is_touched_[at(channel)] = false;
    }
    touched_.clear();
    return better;
  }

  bool is_better() {
    if (before_.empty()) return false;
    const double most_before = *std::ranges::max_element(before_);
    const double most_after = *std::ranges::max_element(after_);
    if (most_before != most_after) return most_after < most_before;
    std::ranges::sort(before_, std::greater<>{});
    std::ranges::sort(after_, std::greater<>{});
    return after_ < before_;
  }

  const Topology& topology_;
  const Peers& peers_;
  std::vector<int> place_of_;
  PlaceVolumes volumes_;
  std::vector<int> room_;
  std::vector<std::int64_t> loads_;
  std::vector<std::int64_t> change_;
  std::vector<char> is_touched_;  // not bool: read and written in the innermost loop
  std::vector<bool> is_tried_;
  std::vector<int> touched_;
  std::vector<int> scratch_;
  std::vector<double> before_;
  std::vector<double> after_;
};

}  // namespace

std::vector<int> map_congestion(const MappingProblem& problem, const Effort& effort) {
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
  if (!is_large(*problem.topology)) add(map_greedy(problem));
  add(map_partition(problem, effort));
  if (!scotch_is_slow(problem)) add(map_scotch(problem));
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
    refinement.run(effort.together ? all : own);
    auto congestions = refinement.congestions();
    if (!best.empty() && least <= congestions) continue;
    best = refinement.places();
    least = std::move(congestions);
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

}  // namespace halocline::mapping
