// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "core/limits.hpp"
#include "halocline/error.hpp"
#include "machine/found_network.hpp"

namespace halocline::machine {
namespace {

/// Switches by their height above hosts, 0 for leaves.
struct Levels {
  explicit Levels(const SwitchTree& of) : tree(of), height(of.switches.size(), -1) { visit(0); }

  int visit(int s) {
    const SwitchTree::Switch& one = tree.switches[static_cast<std::size_t>(s)];
    int mine = 0;
    for (std::size_t c = 0; c < one.children.size(); ++c) {
      const int below = visit(one.children[c]) + 1;
      if (c > 0 && below != mine) {
        throw InvalidArgument(fmt::format(
            "switch '{}' has hosts at different depths below it; allowed are networks with all hosts at one depth",
            one.name));
      }
      mine = below;
    }
    if (!one.children.empty() && !one.hosts.empty()) {
      throw InvalidArgument(
          fmt::format("switch '{}' has switches and the host '{}' below it; allowed is one or the other", one.name,
                      one.hosts.front()));
    }
    height[static_cast<std::size_t>(s)] = mine;
    return mine;
  }

  const SwitchTree& tree;
  std::vector<int> height;
};

/// Numbers the hosts below a switch from `port` on; places: of a switch of each height.
void place(const SwitchTree& tree, const std::vector<std::int64_t>& places, const std::vector<int>& height, int s,
           std::int64_t port, std::vector<FoundNetwork::Host>& hosts) {
  const SwitchTree::Switch& one = tree.switches[static_cast<std::size_t>(s)];
  for (const std::string& host : one.hosts) hosts.push_back({host, static_cast<int>(port++)});
  for (const int child : one.children) {
    place(tree, places, height, child, port, hosts);
    port += places[static_cast<std::size_t>(height[static_cast<std::size_t>(child)])];
  }
}

std::string plural_of(std::size_t least, std::size_t most) {
  return least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
}

}  // namespace

FoundNetwork network_of(const SwitchTree& tree) {
  if (tree.switches.empty()) throw InvalidArgument("a network has no switch; allowed is one or more");
  const Levels levels(tree);
  FoundNetwork found{{}, tree.host_bandwidth, tree.host_latency, {tree.rails, Crossbar{}}, tree.notes};
  FatTree shape;
  std::vector<std::int64_t> places;
  std::int64_t below = 1;
  for (int h = 0; h <= levels.height.front(); ++h) {
    FatTreeLevel level{0, {0, 0}};
    std::size_t least = SIZE_MAX;
    double fastest = 0;
    for (std::size_t s = 0; s < tree.switches.size(); ++s) {
      if (levels.height[s] != h) continue;
      const SwitchTree::Switch& one = tree.switches[s];
      const std::size_t children = one.children.empty() ? one.hosts.size() : one.children.size();
      least = std::min(least, children);
      level.children = std::max(level.children, static_cast<int>(children));
      const double rate = one.uplinks.bandwidth;
      if (rate > 0 && (level.uplinks.bandwidth == 0 || rate < level.uplinks.bandwidth)) level.uplinks.bandwidth = rate;
      level.uplinks.latency = std::max(level.uplinks.latency, one.uplinks.latency);
      fastest = std::max(fastest, rate);
    }
    below *= std::max(1, level.children);
    if (below > limits::fabric_places) {
      throw InvalidArgument(fmt::format(
          "a network has room for more than {0} hosts, as every switch of a level counts as the one with the "
          "most below it; allowed are at most {0}",
          limits::fabric_places));
    }
    places.push_back(below);
    if (h == levels.height.front()) break;  // the root, a core that is never the bottleneck
    shape.levels.push_back(level);
    found.notes.push_back(fmt::format("level {}: switches of {} {}", h,
                                      plural_of(least, static_cast<std::size_t>(level.children)),
                                      h == 0 ? "hosts" : "switches"));
    if (fastest > level.uplinks.bandwidth) {
      found.notes.push_back(
          fmt::format("level {}: uplinks of a switch {:.4g} to {:.4g} GB/s; the slowest are taken for all", h,
                      level.uplinks.bandwidth / 1e9, fastest / 1e9));
    }
  }
  if (!shape.levels.empty()) found.fabric.shape = shape;
  place(tree, places, levels.height, 0, 0, found.hosts);
  if (found.hosts.empty()) throw InvalidArgument("a network has no host; allowed is one or more");
  std::set<std::string> seen;
  for (const FoundNetwork::Host& host : found.hosts) {
    if (!seen.insert(host.name).second)
      throw InvalidArgument(fmt::format("host '{}' is on two switches; allowed is one", host.name));
  }
  return found;
}

}  // namespace halocline::machine
