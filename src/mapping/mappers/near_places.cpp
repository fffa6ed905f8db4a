// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/mappers/near_places.hpp"

#include <algorithm>

#include "core/at.hpp"

namespace halocline::mapping::detail {
namespace {

constexpr std::size_t most_near = 4;

}  // namespace

NearPlaces::NearPlaces(const Topology& topology) {
  const Topology::Graph& graph = topology.graph();
  std::vector<std::vector<int>> beside(at(graph.vertices));
  for (const auto& link : graph.links) {
    beside[at(link.a)].push_back(link.b);
    beside[at(link.b)].push_back(link.a);
  }
  for (auto& list : beside) std::ranges::sort(list);
  std::vector<int> place_at(at(graph.vertices), -1);
  for (int place = 0; place < topology.places(); ++place) place_at[at(graph.places[at(place)])] = place;
  std::vector<int> seen_from(at(graph.vertices), -1);
  std::vector<int> reached;
  begin_.push_back(0);
  for (int place = 0; place < topology.places(); ++place) {
    const int start = graph.places[at(place)];
    reached.assign(1, start);
    seen_from[at(start)] = place;
    for (std::size_t i = 0; i < reached.size() && near_.size() < begin_.back() + most_near; ++i) {
      const std::vector<int>& list = beside[at(reached[i])];
      // Each place's list begins with the place after it, so that places at one large switch do not all have the same near ones.
      const auto first = static_cast<std::size_t>(std::ranges::upper_bound(list, start) - list.begin());
      for (std::size_t k = 0; k < list.size() && near_.size() < begin_.back() + most_near; ++k) {
        const int v = list[(first + k) % list.size()];
        if (seen_from[at(v)] == place) continue;
        seen_from[at(v)] = place;
        reached.push_back(v);
        if (place_at[at(v)] >= 0) near_.push_back(place_at[at(v)]);
      }
    }
    begin_.push_back(near_.size());
  }
}

}  // namespace halocline::mapping::detail
