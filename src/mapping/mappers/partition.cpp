// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <random>
#include <utility>

#include "core/at.hpp"
#include "core/limits.hpp"
#include "mapping/mappers/bisection.hpp"
#include "mapping/mappers/gain_tree.hpp"
#include "mapping/mappers/mappers.hpp"
#include "mapping/mappers/near_places.hpp"

// Starts, then swaps and moves: the sum of weight times distance is what is to be small.
namespace halocline::mapping::detail {
namespace {

/// Channels on the longest path: a torus of limits::fabric_levels dimensions has up to half of limits::torus_length in
/// each.
constexpr std::int64_t most_hops = limits::fabric_levels * limits::torus_length;

/// Hops between places, the same both ways: stored for few places, looked up on the way for many.
class Distances {
 public:
  explicit Distances(const Topology& topology) : topology_(topology) {
    const int places = topology.places();
    if (is_large(topology)) return;
    for (int a = 0; a < places; ++a) {
      for (int b = 0; b < places; ++b) values_.push_back(hops(a, b));
    }
  }
  [[nodiscard]] std::int64_t operator()(int a, int b) const {
    return values_.empty() ? hops(a, b) : values_[at(a) * at(topology_.places()) + at(b)];
  }
  /// None is larger.
  [[nodiscard]] std::int64_t most() const { return values_.empty() ? most_hops : *std::ranges::max_element(values_); }

 private:
  [[nodiscard]] std::int64_t hops(int a, int b) const { return std::ssize(topology_.route(a, b, scratch_)); }

  const Topology& topology_;
  std::vector<std::int64_t> values_;
  mutable std::vector<int> scratch_;
};

class Search {
 public:
  Search(const MappingProblem& problem, const Edges& edges, const Distances& distance)
      : edges_(edges), distance_(distance), room_(problem.capacity), place_of_(edges_.size(), -1) {}

  /// Place after place, each time the process that has most with those there, of several the lowest; but first of all
  /// a given one.
  void fill(int first) {
    std::size_t left = place_of_.size();
    std::size_t lowest = 0;  // none below it is left
    std::vector<std::int64_t> gain(place_of_.size());
    GainTree tree;
    for (int place = 0; place < static_cast<int>(room_.size()); ++place) {
      tree.reset(place_of_.size());
      std::ranges::fill(gain, 0);
      for (; room_[at(place)] > 0 && left > 0; --left, --room_[at(place)]) {
        while (place_of_[lowest] >= 0) ++lowest;
        int best = tree.empty() ? static_cast<int>(lowest) : tree.best();
        if (left == place_of_.size()) best = first;
        place_of_[at(best)] = place;
        tree.remove(best);
        for (const Edge& edge : edges_[at(best)]) {
          if (place_of_[at(edge.process)] < 0) tree.set(edge.process, gain[at(edge.process)] += edge.weight);
        }
      }
    }
  }

  void take(std::vector<int> place_of) {
    place_of_ = std::move(place_of);
    for (const int place : place_of_) --room_[at(place)];
  }

  /// Swaps processes at random, whatever it costs; the same for the same seed on every machine.
  void disturb(int swaps, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto any = [&] { return at(random() % place_of_.size()); };
    for (int i = 0; i < swaps; ++i) std::swap(place_of_[any()], place_of_[any()]);
  }

  /// Tries swaps and moves one after the other until a whole round brings no improvement. A table contains the cost of
  /// each process at each place, so that a trial looks up four numbers.
  void improve(Budget budget) {
    const int processes = static_cast<int>(place_of_.size());
    for (int p = 0; p < processes; ++p) {
      for (int place = 0; place < static_cast<int>(room_.size()); ++place) costs_.push_back(cost(p, place));
    }
    int in_vain = 0;  // processes in a row
    for (int p = 0; in_vain < processes; p = (p + 1) % processes) {
      bool better = false;
      for (int place = 0; place < static_cast<int>(room_.size()); ++place) {
        if (!try_move(p, place, budget, better)) return;
      }
      if (!try_swaps(p, budget, better)) return;
      in_vain = better ? 0 : in_vain + 1;
    }
  }

  /// The same, but a process is only tried at its peers' places and at those near them.
  void improve_nearby(const NearPlaces& near, Budget budget) {
    std::vector<std::vector<int>> at_place(room_.size());
    for (int p = 0; p < static_cast<int>(place_of_.size()); ++p) at_place[at(place_of_[at(p)])].push_back(p);
    const auto go = [&](int p, int from, int to) {
      std::erase(at_place[at(from)], p);
      at_place[at(to)].push_back(p);
    };
    for (bool better = true; better;) {
      better = false;
      for (int p = 0; p < static_cast<int>(place_of_.size()); ++p) {
        for (const int place : candidates(p, near)) {
          const int before = place_of_[at(p)];
          bool moved = false;
          if (place == before) continue;
          if (!try_move(p, place, budget, moved)) return;
          if (moved) go(p, before, place);
          for (std::size_t i = 0; !moved && i < at_place[at(place)].size(); ++i) {
            const int q = at_place[at(place)][i];
            if (!try_swap(p, q, budget, moved)) return;
            if (!moved) continue;
            go(p, before, place);
            go(q, place, before);
          }
          better = better || moved;
        }
      }
    }
  }

  /// Twice the sum of weight times distance.
  [[nodiscard]] std::int64_t total() const {
    std::int64_t sum = 0;
    for (int p = 0; p < static_cast<int>(place_of_.size()); ++p) sum += cost(p, place_of_[at(p)]);
    return sum;
  }
  [[nodiscard]] const std::vector<int>& places() const { return place_of_; }

 private:
  /// False where the budget is spent; both set `better` where they changed something.
  bool try_move(int p, int place, Budget& budget, bool& better) {
    if (room_[at(place)] == 0 || place == place_of_[at(p)]) return true;
    if (!budget.take()) return false;
    if (known_cost(p, place) < known_cost(p, place_of_[at(p)])) {
      ++room_[at(place_of_[at(p)])];
      --room_[at(place)];
      put(p, place);
      better = true;
    }
    return true;
  }
  bool try_swap(int p, int q, Budget& budget, bool& better) {
    if (place_of_[at(p)] == place_of_[at(q)]) return true;
    if (!budget.take()) return false;
    if (swap_is_better(p, q)) {
      const int before = place_of_[at(p)];
      put(p, place_of_[at(q)]);
      put(q, before);
      better = true;
    }
    return true;
  }

  /// With those of higher numbers.
  bool try_swaps(int p, Budget& budget, bool& better) {
    const std::size_t places = room_.size();
    const std::int64_t* const of_p = &costs_[at(p) * places];
    const std::int64_t* of_q = of_p;
    std::int64_t tried = 0;
    std::size_t a = at(place_of_[at(p)]);
    for (std::size_t q = at(p) + 1; q < place_of_.size(); ++q) {
      of_q += places;
      const std::size_t b = at(place_of_[q]);
      tried += a != b ? 1 : 0;
      if (of_p[b] - of_p[a] + of_q[a] - of_q[b] >= 0) continue;  // as it is for a == b
      if (!budget.take(std::exchange(tried, 0))) return false;
      if (!swap_is_better(p, static_cast<int>(q))) continue;
      put(p, static_cast<int>(b));
      put(static_cast<int>(q), static_cast<int>(a));
      a = b;
      better = true;
    }
    return budget.take(tried);
  }

  [[nodiscard]] std::vector<int> candidates(int process, const NearPlaces& near) const {
    std::vector<int> places;
    for (const Edge& edge : edges_[at(process)]) {
      const int place = place_of_[at(edge.process)];
      places.push_back(place);
      places.insert(places.end(), near.of(place).begin(), near.of(place).end());
    }
    std::ranges::sort(places);
    const auto repeated = std::ranges::unique(places);
    places.erase(repeated.begin(), repeated.end());
    return places;
  }

  /// Of a process at a place, its peers staying where they are.
  [[nodiscard]] std::int64_t cost(int process, int place) const {
    std::int64_t sum = 0;
    for (const Edge& edge : edges_[at(process)]) sum += edge.weight * distance_(place, place_of_[at(edge.process)]);
    return sum;
  }
  [[nodiscard]] std::int64_t known_cost(int process, int place) const {
    return costs_.empty() ? cost(process, place) : costs_[at(process) * room_.size() + at(place)];
  }

  void put(int process, int place) {
    const int before = std::exchange(place_of_[at(process)], place);
    if (costs_.empty()) return;
    for (const Edge& edge : edges_[at(process)]) {
      std::int64_t* const row = &costs_[at(edge.process) * room_.size()];
      for (int x = 0; x < static_cast<int>(room_.size()); ++x) {
        row[x] += edge.weight * (distance_(x, place) - distance_(x, before));
      }
    }
  }

  [[nodiscard]] bool swap_is_better(int p, int q) const {
    const int a = place_of_[at(p)];
    const int b = place_of_[at(q)];
    const std::int64_t apart = known_cost(p, b) - known_cost(p, a) + known_cost(q, a) - known_cost(q, b);
    // What they have with each other stays as long as it is: each seems to come nearer to the other.
    return apart < 0 && apart + weight_between(edges_, p, q) * (distance_(a, b) + distance_(b, a)) < 0;
  }

  const Edges& edges_;
  const Distances& distance_;
  std::vector<int> room_;
  std::vector<int> place_of_;
  std::vector<std::int64_t> costs_;  ///< of each process at each place, where they are kept
};

/// Weights are bytes both ways.
Edges edges_of(const CommunicationMatrix& matrix) {
  const Peers peers = peers_of(matrix);
  Edges edges(peers.size(), peers.entries());
  for (std::size_t p = 0; p < peers.size(); ++p) {
    for (const Peer& peer : peers[p]) {
      if (peer.volume() > 0) edges.add({peer.process, peer.volume()});
    }
    edges.end_row();
  }
  return edges;
}

/// Keeps the mapping with the least cost, of several with the least congestions, of several the first.
class Best {
 public:
  explicit Best(const MappingProblem& problem) : problem_(problem) {}

  void offer(const Search& search) {
    const std::int64_t total = search.total();
    if (!places_.empty() && total > least_) return;
    if (!places_.empty() && total == least_) {
      if (search.places() == places_) return;
      if (congestions_.empty()) congestions_ = sorted_congestions(problem_, places_);
      auto congestions = sorted_congestions(problem_, search.places());
      if (congestions >= congestions_) return;
      congestions_ = std::move(congestions);
    } else {
      congestions_.clear();
    }
    places_ = search.places();
    least_ = total;
  }
  [[nodiscard]] const std::vector<int>& places() const { return places_; }
  std::vector<int> take() { return std::move(places_); }

 private:
  const MappingProblem& problem_;
  std::vector<int> places_;
  std::int64_t least_ = 0;
  std::vector<double> congestions_;  ///< of the places; empty where not needed yet
};

/// Trials here are cheaper by this factor than trials of `congestion`.
constexpr std::int64_t cheaper = 4;

/// From the order as it is, from halves of halves, from a given start, and from fillings that begin with processes
/// spread over all of them; then from the best one, disturbed. With one amount of trials for all starts together there
/// are fewer of them.
std::vector<int> run_small(const MappingProblem& problem, const Edges& edges, const Distances& distances, Effort each,
                           std::vector<int> start) {
  const int processes = problem.matrix->ranks();
  const int fillings = std::min(4, processes);
  const int halvings = each.together ? 1 : 8;
  const int rounds = each.together ? 0 : std::max(8, 128 / processes);
  each.trials *= cheaper;
  if (each.seconds) *each.seconds /= fillings + rounds + 3;
  Best best(problem);
  const auto improve = [&](Search& search) {
    search.improve(Budget(each));
    best.offer(search);
  };
  std::vector<std::vector<int>> starts{map_in_order(problem), map_by_bisection(problem, edges, halvings)};
  if (!start.empty()) starts.push_back(std::move(start));
  for (auto& one : starts) {
    Search search(problem, edges, distances);
    search.take(std::move(one));
    improve(search);
  }
  for (int filling = 0; filling < fillings; ++filling) {
    Search search(problem, edges, distances);
    search.fill(filling * processes / fillings);
    improve(search);
  }
  for (int round = 0; round < rounds; ++round) {
    Search search(problem, edges, distances);
    search.take(best.places());
    search.disturb(std::max(1, processes / 4), at(round));
    improve(search);
  }
  return best.take();
}

/// From the order as it is and from halves of halves: what is quadratic in places or processes is left out.
std::vector<int> run_large(const MappingProblem& problem, const Edges& edges, const Distances& distances, Effort each) {
  constexpr std::int64_t processes_of_effort = 64;  // what the default number of trials is made for
  each.trials *= cheaper * (1 + problem.matrix->ranks() / processes_of_effort);
  if (each.seconds) *each.seconds /= 2;
  const NearPlaces near(*problem.topology);
  Best best(problem);
  for (const bool in_order : {true, false}) {
    Search search(problem, edges, distances);
    search.take(in_order ? map_in_order(problem) : map_by_bisection(problem, edges, 1));
    search.improve_nearby(near, Budget(each));
    best.offer(search);
  }
  return best.take();
}

/// Returns all weights, divided by a power of two if sums of weight times distance would exceed 63 bits: a trial adds
/// four costs of a process, each at most half of all weights times the largest distance.
Edges summable(Edges edges, std::int64_t most_distance) {
  std::int64_t all = 0;
  for (std::size_t p = 0; p < edges.size(); ++p) {
    for (const Edge& edge : edges[p]) all += edge.weight;
  }
  const auto bits = [](std::int64_t value) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
  };
  const int shift = bits(all) + bits(most_distance) - 62;
  if (shift <= 0) return edges;
  Edges smaller(edges.size(), edges.entries());
  for (std::size_t p = 0; p < edges.size(); ++p) {
    for (const Edge& edge : edges[p]) {
      const std::int64_t weight = shift < 63 ? edge.weight >> shift : 0;
      if (weight > 0) smaller.add({edge.process, weight});
    }
    smaller.end_row();
  }
  return smaller;
}

}  // namespace

std::vector<int> map_partition(const MappingProblem& problem, const Effort& effort, const MappedBy& mapped_by) {
  const Distances distances(*problem.topology);
  const Edges edges = summable(edges_of(*problem.matrix), distances.most());
  if (is_large(*problem.topology)) return run_large(problem, edges, distances, effort);
  return run_small(problem, edges, distances, effort, mapped_by ? mapped_by(Mapper::scotch) : std::vector<int>());
}

}  // namespace halocline::mapping::detail
