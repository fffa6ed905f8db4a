// SPDX-License-Identifier: BSD-3-Clause
#include "model/unequal.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/section.hpp"
#include "model/simulate.hpp"

namespace halocline::model {
namespace {

using machine::Interconnect;
using machine::MachineMap;
using machine::Place;

/// So large that latencies do not count.
constexpr std::int64_t bytes = std::int64_t{1} << 40;
constexpr int most_for_all_pairs = 16;

/// The devices of a node that ranks drive, and the node's type.
using Kind = std::pair<int, std::set<device_id>>;

/// The first two nodes of each kind, or the only one.
std::map<Kind, std::vector<node_id>> kinds_of(const MachineMap& map) {
  std::vector<std::set<device_id>> driven(map.nodes.size());
  for (const machine::RankEntry& rank : map.ranks) {
    driven.at(rank.node.index()).insert(rank.devices.begin(), rank.devices.end());
  }
  std::map<Kind, std::vector<node_id>> kinds;
  for (std::size_t n = 0; n < driven.size(); ++n) {
    if (driven[n].empty()) continue;
    std::vector<node_id>& nodes = kinds[{map.nodes[n].type, std::move(driven[n])}];
    if (nodes.size() < 2) nodes.emplace_back(static_cast<std::int64_t>(n));
  }
  return kinds;
}

void add_shares(Shares& shares, const Interconnect& interconnect, const std::vector<Flow>& flows) {
  if (flows.empty()) return;
  for (const double end : simulate(interconnect, {}, flows).ends) {
    const double share = static_cast<double>(bytes) / end;
    shares.least = shares.least == 0 ? share : std::min(shares.least, share);
    shares.most = std::max(shares.most, share);
  }
}

std::vector<Flow> flows_within(const std::vector<Place>& devices) {
  std::vector<Flow> flows;
  const std::size_t n = devices.size();
  for (std::size_t from = 0; from < n; ++from) {
    for (std::size_t step = 1; step<n; step = n> most_for_all_pairs ? 2 * step : step + 1) {
      flows.push_back({devices[from], devices[(from + step) % n], bytes});
    }
  }
  return flows;
}

std::vector<Flow> flows_between(const std::vector<Place>& from, const std::vector<Place>& to) {
  std::vector<Flow> flows;
  for (std::size_t d = 0; d < from.size(); ++d) {
    flows.push_back({from[d], to[d % to.size()], bytes});
    flows.push_back({to[d % to.size()], from[d], bytes});
  }
  return flows;
}

bool differ(const Shares& shares) { return shares.most > most_of_equal * shares.least; }

}  // namespace

bool Connection::unequal() const { return differ(within) || differ(outside); }

Connection connection_of(const MachineMap& map) {
  Connection connection;
  const auto kinds = kinds_of(map);
  std::set<node_id> in_use;
  for (const auto& [kind, nodes] : kinds) in_use.insert(nodes.begin(), nodes.end());
  for (const auto& [kind, nodes] : kinds) {
    const node_id here = nodes.front();
    // Of the same kind where there is one.
    node_id there = nodes.back();
    for (const node_id other : in_use) {
      if (there == here) there = other;
    }
    const Interconnect interconnect(section_of(map, std::vector{here, there}));
    std::vector<Place> devices;
    for (const device_id device : kind.second) devices.push_back(interconnect.device(node_id(0), device));
    add_shares(connection.within, interconnect, flows_within(devices));
    if (there == here) continue;
    std::vector<Place> others;
    for (const auto& [other_kind, others_of_kind] : kinds) {
      if (std::ranges::find(others_of_kind, there) == others_of_kind.end()) continue;
      for (const device_id device : other_kind.second) others.push_back(interconnect.device(node_id(1), device));
    }
    add_shares(connection.outside, interconnect, flows_between(devices, others));
  }
  return connection;
}

}  // namespace halocline::model
