// SPDX-License-Identifier: BSD-3-Clause
// scotch.h uses types of these without including them.
#include <cstdint>
#include <cstdio>
// clang-format off
#include <scotch.h>
// clang-format on

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "halocline/error.hpp"
#include "mapping/mappers/mappers.hpp"

namespace halocline::mapping::detail {
namespace {

constexpr SCOTCH_Num most_load = 1 << 20;
constexpr double imbalance = 0.01;  // the value that graphMap uses without a strategy

void check(int code, const char* call) {
  if (code != 0) throw InternalError(std::string("Scotch: ") + call + " failed");
}

/// A graph of Scotch's, with the arrays that it points to.
class Graph {
 public:
  struct Arc {
    int to;
    double load;
  };
  /// Loads become integers from 1 on, in proportion to the largest.
  explicit Graph(const std::vector<std::vector<Arc>>& arcs) {
    check(SCOTCH_graphInit(&graph_), "graphInit");
    double largest = 0;
    for (const auto& row : arcs) {
      for (const Arc& arc : row) largest = std::max(largest, arc.load);
    }
    begin_.push_back(0);
    for (const auto& row : arcs) {
      for (const Arc& arc : row) {
        to_.push_back(arc.to);
        load_.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(std::llround(arc.load / largest * most_load))));
      }
      begin_.push_back(static_cast<SCOTCH_Num>(to_.size()));
    }
    check(SCOTCH_graphBuild(&graph_, 0, static_cast<SCOTCH_Num>(arcs.size()), begin_.data(), nullptr, nullptr, nullptr,
                            static_cast<SCOTCH_Num>(to_.size()), to_.data(), load_.data()),
          "graphBuild");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { SCOTCH_graphExit(&graph_); }
  SCOTCH_Graph* get() { return &graph_; }

 private:
  SCOTCH_Graph graph_{};
  std::vector<SCOTCH_Num> begin_;
  std::vector<SCOTCH_Num> to_;
  std::vector<SCOTCH_Num> load_;
};

/// Scotch's default one, which it would read anew for each mapping.
class Strategy {
 public:
  explicit Strategy(SCOTCH_Num places) {
    check(SCOTCH_stratInit(&strategy_), "stratInit");
    check(SCOTCH_stratGraphMapBuild(&strategy_, SCOTCH_STRATDEFAULT, places, imbalance), "stratGraphMapBuild");
  }
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  ~Strategy() { SCOTCH_stratExit(&strategy_); }
  SCOTCH_Strat* get() { return &strategy_; }

 private:
  SCOTCH_Strat strategy_{};
};

class Architecture {
 public:
  Architecture() { check(SCOTCH_archInit(&arch_), "archInit"); }
  Architecture(const Architecture&) = delete;
  Architecture& operator=(const Architecture&) = delete;
  ~Architecture() { SCOTCH_archExit(&arch_); }
  SCOTCH_Arch* get() { return &arch_; }

 private:
  SCOTCH_Arch arch_{};
};

/// One for each thread and number of places, as the library does not say whether threads may share them.
Strategy& strategy_for(SCOTCH_Num places) {
  thread_local std::map<SCOTCH_Num, Strategy> known;
  return known.try_emplace(places, places).first->second;
}

/// One thread and one order of events, so that the same inputs give the same answer.
class Context {
 public:
  Context() {
    check(SCOTCH_contextInit(&context_), "contextInit");
    check(SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1), "contextOptionSetNum");
    SCOTCH_contextRandomSeed(&context_, 1);
    SCOTCH_contextRandomReset(&context_);
    check(SCOTCH_contextThreadSpawn(&context_, 1, nullptr), "contextThreadSpawn");
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { SCOTCH_contextExit(&context_); }
  SCOTCH_Context* get() { return &context_; }

 private:
  SCOTCH_Context context_{};
};

/// A graph in a context.
class Bound {
 public:
  Bound(Context& context, Graph& graph) {
    check(SCOTCH_contextBindGraph(context.get(), graph.get(), &graph_), "contextBindGraph");
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  ~Bound() { SCOTCH_graphExit(&graph_); }
  SCOTCH_Graph* get() { return &graph_; }

 private:
  SCOTCH_Graph graph_{};
};

/// The topology's graph with a vertex more for each slot, as a place may hold several processes; longer where slower.
/// slots: their vertices; places: of each of them.
std::vector<std::vector<Graph::Arc>> target_arcs(const MappingProblem& problem, std::vector<SCOTCH_Num>& slots,
                                                 std::vector<int>& places) {
  const Topology::Graph& graph = problem.topology->graph();
  std::vector<std::vector<Graph::Arc>> arcs(static_cast<std::size_t>(graph.vertices));
  const auto join = [&](std::size_t a, std::size_t b, double load) {
    arcs[a].push_back({static_cast<int>(b), load});
    arcs[b].push_back({static_cast<int>(a), load});
  };
  double least = std::numeric_limits<double>::infinity();
  for (const auto& link : graph.links) {
    join(static_cast<std::size_t>(link.a), static_cast<std::size_t>(link.b), 1 / link.each_way.bandwidth);
    least = std::min(least, 1 / link.each_way.bandwidth);
  }
  if (graph.links.empty()) least = 1;
  for (std::size_t place = 0; place < problem.capacity.size(); ++place) {
    for (int i = 0; i < problem.capacity[place]; ++i) {
      slots.push_back(static_cast<SCOTCH_Num>(arcs.size()));
      arcs.emplace_back();
      places.push_back(static_cast<int>(place));
      join(static_cast<std::size_t>(graph.places[place]), arcs.size() - 1, least);
    }
  }
  return arcs;
}

/// Whether there are more slots than archBuild2 is good for: it takes half a minute for 1,536 of them.
bool is_crowded(const MappingProblem& problem) {
  return std::accumulate(problem.capacity.begin(), problem.capacity.end(), std::int64_t{0}) > 256;
}

/// Whether all places are connected to one vertex by equal links.
bool is_star(const Topology::Graph& graph) {
  if (graph.links.size() != graph.places.size() || graph.vertices != static_cast<int>(graph.places.size()) + 1) {
    return false;
  }
  return std::ranges::all_of(graph.links, [&](const Topology::Link& link) {
    return link.b == graph.links.front().b && link.each_way == graph.links.front().each_way;
  });
}

/// One switch in Scotch's terms: places at equal distances from each other, each with its capacity.
void build_star(const MappingProblem& problem, Architecture& architecture, std::vector<int>& places) {
  std::vector<SCOTCH_Num> weights;
  for (std::size_t place = 0; place < problem.capacity.size(); ++place) {
    if (problem.capacity[place] == 0) continue;
    weights.push_back(problem.capacity[place]);
    places.push_back(static_cast<int>(place));
  }
  check(SCOTCH_archCmpltw(architecture.get(), static_cast<SCOTCH_Num>(weights.size()), weights.data()), "archCmpltw");
}

/// Scotch balances, but promises nothing: who is too many at a slot goes to the nearest free one.
std::vector<int> repaired(const MappingProblem& problem, const std::vector<SCOTCH_Num>& slot_of,
                          const std::vector<int>& places) {
  std::vector<int> room = problem.capacity;
  std::vector<int> place_of(slot_of.size(), -1);
  for (std::size_t p = 0; p < slot_of.size(); ++p) {
    const int place = places[static_cast<std::size_t>(slot_of[p])];
    if (room[static_cast<std::size_t>(place)] == 0) continue;
    --room[static_cast<std::size_t>(place)];
    place_of[p] = place;
  }
  for (std::size_t p = 0; p < slot_of.size(); ++p) {
    if (place_of[p] >= 0) continue;
    const int wanted = places[static_cast<std::size_t>(slot_of[p])];
    for (int place = 0; place < static_cast<int>(room.size()); ++place) {
      if (room[static_cast<std::size_t>(place)] == 0) continue;
      if (place_of[p] < 0 || problem.topology->hops(wanted, place) < problem.topology->hops(wanted, place_of[p])) {
        place_of[p] = place;
      }
    }
    --room[static_cast<std::size_t>(place_of[p])];
  }
  return place_of;
}

}  // namespace

bool scotch_is_slow(const MappingProblem& problem) {
  return is_crowded(problem) && !is_star(problem.topology->graph());
}

std::vector<int> map_scotch(const MappingProblem& problem) {
  std::vector<std::vector<Graph::Arc>> arcs;
  bool any = false;
  const Peers peers = peers_of(*problem.matrix);
  for (std::size_t p = 0; p < peers.size(); ++p) {
    auto& row = arcs.emplace_back();
    for (const Peer& peer : peers[p]) {
      if (peer.volume() > 0) row.push_back({peer.process, static_cast<double>(peer.volume())});
    }
    any = any || !row.empty();
  }
  if (!any) return map_in_order(problem);
  Context context;
  Graph source(arcs);
  Bound bound_source(context, source);
  std::vector<int> places;
  std::optional<Graph> target;
  std::optional<Bound> bound_target;
  Architecture architecture;
  if (is_star(problem.topology->graph())) {
    build_star(problem, architecture, places);
  } else {
    std::vector<SCOTCH_Num> slots;
    target.emplace(target_arcs(problem, slots, places));
    bound_target.emplace(context, *target);
    check(
        SCOTCH_archBuild2(architecture.get(), bound_target->get(), static_cast<SCOTCH_Num>(slots.size()), slots.data()),
        "archBuild2");
  }
  std::vector<SCOTCH_Num> slot_of(arcs.size(), 0);
  check(SCOTCH_graphMap(bound_source.get(), architecture.get(), strategy_for(SCOTCH_archSize(architecture.get())).get(),
                        slot_of.data()),
        "graphMap");
  return repaired(problem, slot_of, places);
}

}  // namespace halocline::mapping::detail

namespace halocline::mapping {
bool have_scotch() { return true; }
}  // namespace halocline::mapping
