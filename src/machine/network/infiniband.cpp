// SPDX-License-Identifier: BSD-3-Clause
#include "machine/network/infiniband.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <set>
#include <utility>

#include "core/limits.hpp"

namespace halocline::machine::network {
namespace {

/// Switches by number, with what is needed of them.
struct Switches {
  Switches(const Subnet& of, const At& end) : subnet(of), file(end.file) {
    for (const auto& [name, node] : subnet.nodes) {
      if (!node.is_switch) continue;
      number[name] = static_cast<int>(names.size());
      names.push_back(name);
    }
    if (names.empty()) refuse_at(end, "no Switch");
    set_heights(end);
    check_levels();
  }

  [[nodiscard]] const Subnet::Node& node(int s) const { return subnet.nodes.at(names[static_cast<std::size_t>(s)]); }
  [[nodiscard]] int height_of(int s) const { return heights[static_cast<std::size_t>(s)]; }

  void set_heights(const At& end) {
    heights.assign(names.size(), -1);
    std::deque<int> queue;
    for (std::size_t s = 0; s < names.size(); ++s) {
      const auto& links = node(static_cast<int>(s)).links;
      if (std::ranges::any_of(links, [&](const auto& link) { return !number.contains(link.peer); })) {
        heights[s] = 0;
        queue.push_back(static_cast<int>(s));
      }
    }
    if (queue.empty()) refuse_at(end, "no Ca on any switch");
    for (; !queue.empty(); queue.pop_front()) {
      for (const auto& link : node(queue.front()).links) {
        const auto peer = number.find(link.peer);
        if (peer == number.end() || height_of(peer->second) >= 0) continue;
        heights[static_cast<std::size_t>(peer->second)] = height_of(queue.front()) + 1;
        queue.push_back(peer->second);
      }
    }
  }

  void check_levels() const {
    for (std::size_t s = 0; s < names.size(); ++s) {
      const Subnet::Node& one = node(static_cast<int>(s));
      if (heights[s] < 0) refuse_at({file, one.line}, fmt::format("switch '{}' is linked to no host", names[s]));
      if (heights[s] > limits::fabric_levels)
        refuse_at({file, one.line},
                  fmt::format("switch '{}' is more than {} levels above hosts", names[s], limits::fabric_levels));
      for (const auto& link : one.links) {
        const auto peer = number.find(link.peer);
        if (peer == number.end() || heights[s] != height_of(peer->second)) continue;
        refuse_at({file, one.line},
                  fmt::format("switches '{}' and '{}' are linked at one level, which is no fat tree; allowed is a fat "
                              "tree. Measure pairs of hosts, or describe the fabric in the machine map",
                              names[s], link.peer));
      }
    }
  }

  /// Joins switches up to a height that are connected through such switches: a representative for each switch.
  [[nodiscard]] std::vector<int> joined_up_to(int height) const {
    std::vector<int> parent(names.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&parent](int s) {
      while (parent[static_cast<std::size_t>(s)] != s) s = parent[static_cast<std::size_t>(s)];
      return s;
    };
    for (std::size_t s = 0; s < names.size(); ++s) {
      for (const auto& link : node(static_cast<int>(s)).links) {
        const auto peer = number.find(link.peer);
        if (peer == number.end() || std::max(heights[s], height_of(peer->second)) > height) continue;
        const auto [low, high] = std::minmax({root(static_cast<int>(s)), root(peer->second)});
        parent[static_cast<std::size_t>(high)] = low;
      }
    }
    for (std::size_t s = 0; s < names.size(); ++s) parent[s] = root(static_cast<int>(s));
    return parent;
  }

  const Subnet& subnet;
  std::map<std::string, int> number;
  std::vector<std::string> names;
  std::vector<int> heights;
  std::string_view file;
};

/// Groups of switches at each height as a tree, below one representative of the whole.
class Grouping {
 public:
  explicit Grouping(const Switches& switches) : switches_(switches) {
    top_ = *std::ranges::max_element(switches.heights);
    for (int h = 0; h <= top_; ++h) joined_.push_back(switches.joined_up_to(h));
  }

  /// The representatives of networks without a path between them.
  [[nodiscard]] std::set<int> networks() const { return {joined_.back().begin(), joined_.back().end()}; }

  /// The tree of one network.
  [[nodiscard]] SwitchTree tree(int network) const {
    SwitchTree tree;
    add(tree, top_, network);
    return tree;
  }

 private:
  [[nodiscard]] int group(int height, int s) const {
    return joined_[static_cast<std::size_t>(height)][static_cast<std::size_t>(s)];
  }

  int add(SwitchTree& tree, int height, int representative) const {
    const auto position = static_cast<int>(tree.switches.size());
    tree.switches.push_back({switches_.names[static_cast<std::size_t>(representative)], {}, {}, {}});
    std::set<int> parts;
    std::set<std::string> hosts;
    double up = 0;
    for (int s = 0; std::cmp_less(s, switches_.names.size()); ++s) {
      if (switches_.height_of(s) > height || group(height, s) != representative) continue;
      if (height > 0 && switches_.height_of(s) < height) parts.insert(group(height - 1, s));
      for (const auto& link : switches_.node(s).links) {
        const auto peer = switches_.number.find(link.peer);
        if (peer == switches_.number.end()) {
          if (height == 0) hosts.insert(switches_.subnet.nodes.at(link.peer).label);
        } else if (switches_.height_of(peer->second) > height) {
          up += link.bandwidth;
        }
      }
    }
    std::vector<int> children;
    for (const int part : parts) children.push_back(add(tree, height - 1, part));
    SwitchTree::Switch& one = tree.switches[static_cast<std::size_t>(position)];
    one.children = std::move(children);
    one.hosts.assign(hosts.begin(), hosts.end());
    one.uplinks.bandwidth = up;
    return position;
  }

  const Switches& switches_;
  int top_ = 0;
  std::vector<std::vector<int>> joined_;
};

/// Hosts by switch, to compare rails.
std::set<std::vector<std::string>> host_groups(const SwitchTree& tree) {
  std::set<std::vector<std::string>> groups;
  for (const auto& one : tree.switches) {
    if (!one.hosts.empty()) groups.insert(one.hosts);
  }
  return groups;
}

/// The least rate of a host, all its adapters together; 0 where one is unknown.
double host_bandwidth(const Subnet& subnet) {
  std::map<std::string, double> rates;
  for (const auto& [name, node] : subnet.nodes) {
    if (!node.is_switch) continue;
    for (const auto& link : node.links) {
      const Subnet::Node& peer = subnet.nodes.at(link.peer);
      if (!peer.is_switch) rates[peer.label] += link.bandwidth;
    }
  }
  double least = 0;
  for (const auto& [label, rate] : rates) least = least == 0 ? rate : std::min(least, rate);
  return least;
}

}  // namespace

SwitchTree tree_of(const Subnet& subnet, const At& end) {
  Switches switches(subnet, end);
  const Grouping grouping(switches);
  const std::set<int> networks = grouping.networks();
  SwitchTree tree = grouping.tree(*networks.begin());
  for (const int other : networks) {
    if (host_groups(grouping.tree(other)) != host_groups(tree)) {
      refuse_at({end.file, switches.node(other).line},
                "switches that no link joins to the others have other hosts; allowed are equal rails, or one network");
    }
  }
  tree.rails = static_cast<int>(networks.size());
  tree.host_bandwidth = host_bandwidth(subnet);
  if (tree.host_bandwidth == 0) tree.notes.emplace_back("links have no rates in the file");
  return tree;
}

}  // namespace halocline::machine::network
