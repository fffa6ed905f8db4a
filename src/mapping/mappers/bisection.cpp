// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/mappers/bisection.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/at.hpp"
#include "mapping/mappers/gain_tree.hpp"

namespace halocline::mapping::detail {
namespace {

class Bisection {
 public:
  Bisection(const MappingProblem& problem, const Edges& edges, int tries)
      : problem_(problem),
        edges_(edges),
        tries_(tries),
        most_without_gain_(tries > 1 ? 8 : 200),
        place_of_(edges.size(), -1),
        side_(edges.size(), -1),
        number_(edges.size()),
        gain_(edges.size(), 0) {}

  std::vector<int> run() {
    std::vector<int> all(edges_.size());
    std::iota(all.begin(), all.end(), 0);
    divide(std::move(all), 0, problem_.topology->places());
    return std::move(place_of_);
  }

 private:
  void divide(std::vector<int> processes, int first, int end) {
    if (processes.empty()) return;
    if (end - first == 1) {
      for (const int p : processes) place_of_[at(p)] = first;
      return;
    }
    const int middle = border(first, end);
    const std::int64_t left_room = room(first, middle);
    const std::int64_t right_room = room(middle, end);
    const auto count = std::ssize(processes);
    const std::int64_t share = (count * left_room + (left_room + right_room) / 2) / (left_room + right_room);
    split(processes, std::clamp(share, std::max<std::int64_t>(0, count - right_room), std::min(count, left_room)));
    std::vector<int> left;
    std::vector<int> right;
    for (const int p : processes) (side_[at(p)] == 0 ? left : right).push_back(p);
    for (const int p : processes) side_[at(p)] = -1;
    processes = {};
    divide(std::move(left), first, middle);
    divide(std::move(right), middle, end);
  }

  [[nodiscard]] std::int64_t room(int first, int end) const {
    return std::accumulate(problem_.capacity.begin() + first, problem_.capacity.begin() + end, std::int64_t{0});
  }

  /// In the middle third, between the two neighbours that are farthest apart: switches and rows stay whole. Of several,
  /// the one nearest to the middle.
  [[nodiscard]] int border(int first, int end) {
    const int third = (end - first) / 3;
    const int centre = first + (end - first) / 2;
    int best = centre;
    std::size_t most = 0;
    for (int offset = 0; centre - offset > first && offset <= third / 2; ++offset) {
      for (const int m : {centre - offset, centre + offset}) {
        if (m >= end) continue;
        const std::size_t hops = problem_.topology->route(m - 1, m, scratch_).size();
        if (hops <= most) continue;
        best = m;
        most = hops;
      }
    }
    return best;
  }

  /// Gives `count` of the processes side 0, the others side 1: the halves with the least between them of several tries,
  /// of equals the first.
  void split(const std::vector<int>& processes, std::int64_t count) {
    for (std::size_t i = 0; i < processes.size(); ++i) {
      side_[at(processes[i])] = 1;
      number_[at(processes[i])] = static_cast<int>(i);
    }
    const int tries = std::min(tries_, static_cast<int>(processes.size()));
    std::vector<int> best;
    std::int64_t least = 0;
    for (int attempt = 0; attempt < tries; ++attempt) {
      for (const int p : processes) side_[at(p)] = 1;
      // The first one from an end of the graph.
      const std::size_t spread = at(attempt) * processes.size() / at(tries);
      grow(processes, attempt == 0 ? farthest(processes) : processes[spread], count);
      for (int pass = 0; pass < passes && exchange(processes); ++pass) {
      }
      if (tries == 1) return;
      const std::int64_t now = between(processes);
      if (!best.empty() && now >= least) continue;
      least = now;
      best.clear();
      for (const int p : processes) best.push_back(side_[at(p)]);
    }
    for (std::size_t i = 0; i < processes.size(); ++i) side_[at(processes[i])] = best[i];
  }

  /// The weight between the sides.
  [[nodiscard]] std::int64_t between(const std::vector<int>& processes) const {
    std::int64_t sum = 0;
    for (const int p : processes) sum += side_[at(p)] == 0 ? weight_to(p, 1) : 0;
    return sum;
  }

  /// Starts from a process. Adds the process that exchanges most with those already added and least with others.
  void grow(const std::vector<int>& processes, int first, std::int64_t count) {
    for (const int p : processes) gain_[at(p)] = -weight_to(p, 1);
    GainTree& tree = trees_[1];
    tree.reset(processes.size());
    auto next = processes.begin();  // where nothing is connected
    for (int p = first; count > 0; --count) {
      side_[at(p)] = 0;
      tree.remove(number_[at(p)]);
      for (const Edge& edge : edges_[at(p)]) {
        if (side_[at(edge.process)] == 1)
          tree.set(number_[at(edge.process)], gain_[at(edge.process)] += 2 * edge.weight);
      }
      while (next != processes.end() && side_[at(*next)] == 0) ++next;
      if (next == processes.end()) return;
      p = tree.empty() ? *next : processes[at(tree.best())];
    }
  }

  /// Returns the last process that a breadth-first search from the lowest process reaches.
  [[nodiscard]] int farthest(const std::vector<int>& processes) {
    std::vector<int> reached{processes.front()};
    constexpr int seen = 2;
    side_[at(reached.front())] = seen;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const Edge& edge : edges_[at(reached[i])]) {
        if (side_[at(edge.process)] != 1) continue;
        side_[at(edge.process)] = seen;
        reached.push_back(edge.process);
      }
    }
    for (const int p : reached) side_[at(p)] = 1;
    return reached.back();
  }

  /// Swaps the two that gain most, or lose least, each process once, and takes back what came after the best moment
  /// (Kernighan and Lin, Bell Syst. Tech. J. 49, 1970). Whether anything was gained.
  bool exchange(const std::vector<int>& processes) {
    for (GainTree& tree : trees_) tree.reset(processes.size());
    for (const int p : processes) {
      gain_[at(p)] = gain_of_crossing(p);
      trees_[at(side_[at(p)])].set(number_[at(p)], gain_[at(p)]);
    }
    std::vector<int> swapped;
    std::size_t kept = 0;
    std::int64_t gained = 0;
    for (std::int64_t most = 0; swapped.size() - kept <= most_without_gain_;) {
      if (trees_[0].empty() || trees_[1].empty()) break;
      const int a = processes[at(trees_[0].best())];
      const int b = processes[at(trees_[1].best())];
      gained += gain_[at(a)] + gain_[at(b)] - 2 * weight_between(edges_, a, b);
      for (const int p : {a, b}) {
        move(p);
        swapped.push_back(p);
      }
      if (gained <= most) continue;
      most = gained;
      kept = swapped.size();
    }
    for (std::size_t i = 0; i < swapped.size(); ++i) {
      int& side = side_[at(swapped[i])];
      side = i < kept ? side - done : 1 - (side - done);
    }
    return kept > 0;
  }

  /// To the other side, for the rest of this pass.
  void move(int process) {
    const int from = side_[at(process)];
    side_[at(process)] = done + 1 - from;
    trees_[at(from)].remove(number_[at(process)]);
    for (const Edge& edge : edges_[at(process)]) {
      const int there = side_[at(edge.process)];
      if (there != 0 && there != 1) continue;
      trees_[at(there)].set(number_[at(edge.process)],
                            gain_[at(edge.process)] += (there == from ? 2 : -2) * edge.weight);
    }
  }

  [[nodiscard]] std::int64_t gain_of_crossing(int process) const {
    const int here = side_[at(process)];
    std::int64_t sum = 0;
    for (const Edge& edge : edges_[at(process)]) {
      const int there = side_[at(edge.process)];
      sum += there == here ? -edge.weight : there == 1 - here ? edge.weight : 0;
    }
    return sum;
  }
  [[nodiscard]] std::int64_t weight_to(int process, int side) const {
    std::int64_t sum = 0;
    for (const Edge& edge : edges_[at(process)]) sum += side_[at(edge.process)] == side ? edge.weight : 0;
    return sum;
  }

  static constexpr int passes = 8;
  static constexpr int done = 4;  ///< added to a side: not to be swapped again in this pass

  const MappingProblem& problem_;
  const Edges& edges_;
  int tries_;
  std::size_t most_without_gain_;  ///< processes swapped in a row; several tries find what a long pass would
  std::vector<int> place_of_;
  std::vector<int> side_;    ///< 0 or 1 of those that are being split, -1 of others
  std::vector<int> number_;  ///< among those that are being split
  std::vector<std::int64_t> gain_;
  std::array<GainTree, 2> trees_;  ///< by side, of those that may be swapped, by number
  std::vector<int> scratch_;
};

}  // namespace

std::int64_t weight_between(const Edges& edges, int p, int q) {
  const auto list = edges[at(p)];
  const auto found = std::ranges::lower_bound(list, q, {}, &Edge::process);
  return found != list.end() && found->process == q ? found->weight : 0;
}

std::vector<int> map_by_bisection(const MappingProblem& problem, const Edges& edges, int tries) {
  return Bisection(problem, edges, tries).run();
}

}  // namespace halocline::mapping::detail
