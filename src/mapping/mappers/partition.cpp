#include <algorithm>
#include <cmath>

#include "mapping/mappers/mappers.hpp"

// Fill places, then swap and move: the sum of weight times distance is what is to be small.
namespace halocline::mapping::detail {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Between places, for weights of both ways together.
class Distances {
 public:
  template <typename Between>
  Distances(int places, Between between) : places_(at(places)), values_(places_ * places_) {
    for (int a = 0; a < places; ++a) {
      for (int b = 0; b < places; ++b) values_[at(a) * places_ + at(b)] = between(a, b);
    }
  }
  [[nodiscard]] std::int64_t operator()(int a, int b) const { return values_[at(a) * places_ + at(b)]; }

 private:
  std::size_t places_;
  std::vector<std::int64_t> values_;
};

struct Edge {
  int process;
  std::int64_t weight;
};
using Edges = std::vector<std::vector<Edge>>;

class Search {
 public:
  Search(const MappingProblem& problem, const Edges& edges, const Distances& distance)
      : edges_(edges), distance_(distance), room_(problem.capacity), place_of_(edges_.size(), -1) {}

  /// Place after place, each time the process that has most with those there, of several the lowest; but first of all
  /// a given one.
  void fill(int first) {
    std::size_t left = place_of_.size();
    std::vector<std::int64_t> gain(place_of_.size());
    for (int place = 0; place < static_cast<int>(room_.size()); ++place) {
      std::ranges::fill(gain, 0);
      for (; room_[at(place)] > 0 && left > 0; --left, --room_[at(place)]) {
        int best = left == place_of_.size() ? first : -1;
        for (std::size_t q = left == place_of_.size() ? place_of_.size() : 0; q < place_of_.size(); ++q) {
          if (place_of_[q] < 0 && (best < 0 || gain[q] > gain[at(best)])) best = static_cast<int>(q);
        }
        place_of_[at(best)] = place;
        for (const Edge& edge : edges_[at(best)]) gain[at(edge.process)] += edge.weight;
      }
    }
  }

  void take(std::vector<int> place_of) {
    place_of_ = std::move(place_of);
    for (const int place : place_of_) --room_[at(place)];
  }

  /// Swaps and moves one after the other as long as one helps.
  void improve(Budget budget) {
    for (bool better = true; better;) {
      better = false;
      for (int p = 0; p < static_cast<int>(place_of_.size()); ++p) {
        for (int place = 0; place < static_cast<int>(room_.size()); ++place) {
          if (room_[at(place)] == 0 || place == place_of_[at(p)]) continue;
          if (!budget.take()) return;
          if (cost(p, place) < cost(p, place_of_[at(p)])) {
            ++room_[at(place_of_[at(p)])];
            --room_[at(place)];
            place_of_[at(p)] = place;
            better = true;
          }
        }
        for (int q = p + 1; q < static_cast<int>(place_of_.size()); ++q) {
          if (place_of_[at(p)] == place_of_[at(q)]) continue;
          if (!budget.take()) return;
          if (swap_delta(p, q) < 0) {
            std::swap(place_of_[at(p)], place_of_[at(q)]);
            better = true;
          }
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
  /// Of a process at a place, its peers staying where they are; without what it has with one of them.
  [[nodiscard]] std::int64_t cost(int process, int place, int without = -1) const {
    std::int64_t sum = 0;
    for (const Edge& edge : edges_[at(process)]) {
      if (edge.process != without) sum += edge.weight * distance_(place, place_of_[at(edge.process)]);
    }
    return sum;
  }
  [[nodiscard]] std::int64_t swap_delta(int p, int q) const {
    const int a = place_of_[at(p)];
    const int b = place_of_[at(q)];
    return cost(p, b, q) - cost(p, a, q) + cost(q, a, p) - cost(q, b, p);
  }

  const Edges& edges_;
  const Distances& distance_;
  std::vector<int> room_;
  std::vector<int> place_of_;
};

template <typename Weight>
Edges edges_of(const CommunicationMatrix& matrix, Weight weight) {
  Edges edges;
  for (const auto& list : peers_of(matrix)) {
    auto& row = edges.emplace_back();
    for (const Peer& peer : list) {
      if (weight(peer) > 0) row.push_back({peer.process, weight(peer)});
    }
  }
  return edges;
}

/// From the order as it is, and from fillings that begin with processes spread over all of them.
std::vector<int> run(const MappingProblem& problem, const Edges& edges, const Distances& distances,
                     const Effort& effort) {
  constexpr int fillings = 4;
  const int processes = problem.matrix->ranks();
  Effort each = effort;
  each.trials *= 4;  // they are that much cheaper than those of `congestion`
  if (each.seconds) *each.seconds /= fillings + 1;
  std::vector<int> best;
  std::int64_t least = 0;
  for (int start = 0; start < std::min(fillings, processes) + 1; ++start) {
    Search search(problem, edges, distances);
    if (start == 0) {
      search.take(map_in_order(problem));
    } else {
      search.fill((start - 1) * processes / std::min(fillings, processes));
    }
    search.improve(Budget(each));
    if (!best.empty() && search.total() >= least) continue;
    best = search.places();
    least = search.total();
  }
  return best;
}

}  // namespace

std::vector<int> map_partition(const MappingProblem& problem, const Effort& effort) {
  const Topology& topology = *problem.topology;
  Distances hops(topology.places(), [&](int a, int b) { return std::int64_t{topology.hops(a, b)}; });
  return run(problem, edges_of(*problem.matrix, [](const Peer& peer) { return peer.volume(); }), hops, effort);
}

std::vector<int> map_latency(const MappingProblem& problem, const Effort& effort) {
  const Topology& topology = *problem.topology;
  // Picoseconds: integers are the same on every machine. Both ways are as long in these topologies.
  Distances latencies(topology.places(), [&](int a, int b) {
    return static_cast<std::int64_t>(std::llround(topology.latency(a, b) * 1e12));
  });
  return run(problem, edges_of(*problem.matrix, [](const Peer& peer) { return peer.messages; }), latencies, effort);
}

}  // namespace halocline::mapping::detail
