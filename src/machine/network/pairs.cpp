// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "machine/infer_network.hpp"
#include "machine/network/average_linkage.hpp"
#include "machine/network/readers.hpp"
#include "machine/network/text.hpp"

namespace halocline::machine {
namespace {

/// Rates of uplinks that pairs above a level show: half of the latency that they add is each end's. No bandwidth where it is that of closer pairs.
LinkRate uplinks_of(const LinkRate& within, const LinkRate& across) {
  LinkRate rate;
  if (across.bandwidth < 0.9 * within.bandwidth) rate.bandwidth = across.bandwidth;
  rate.latency = std::max(0.0, (across.latency - within.latency) / 2);
  return rate;
}

/// Medians of the pairs of clusters for which `counts` holds.
template <typename Counts>
LinkRate median_rate(const InferredNetwork& of, Counts counts) {
  std::vector<double> bandwidth;
  std::vector<double> latency;
  for (int a = 0; a < of.clusters; ++a) {
    for (int b = a; b < of.clusters; ++b) {
      if (!counts(a, b)) continue;
      const LinkRate& rate = of.rates[static_cast<std::size_t>(a * of.clusters + b)];
      bandwidth.push_back(rate.bandwidth);
      latency.push_back(rate.latency);
    }
  }
  if (bandwidth.empty()) return {};
  return {network::median_of(std::move(bandwidth)), network::median_of(std::move(latency))};
}

}  // namespace

FoundNetwork network_of(std::span<const std::string> hosts, const InferredNetwork& inferred) {
  SwitchTree tree;
  tree.switches.push_back({"core", {}, {}, {}});
  const LinkRate within = median_rate(inferred, [](int a, int b) { return a == b; });
  tree.host_bandwidth = within.bandwidth;
  tree.host_latency = within.latency;
  // Levels from the clusters up: which group each cluster is in.
  std::vector<std::vector<int>> levels(1);
  for (int c = 0; c < inferred.clusters; ++c) levels.front().push_back(c);
  levels.insert(levels.end(), inferred.groups.begin(), inferred.groups.end());

  std::vector<int> above;  // positions of the switches of the level above, by group
  for (std::size_t l = levels.size(); l-- > 0;) {
    const auto& group = levels[l];
    const LinkRate below = median_rate(inferred, [&](int a, int b) {
      return l == 0 ? a == b : a != b && group[static_cast<std::size_t>(a)] == group[static_cast<std::size_t>(b)];
    });
    const auto joined = [&](int a, int b) {
      return l + 1 == levels.size() ||
             levels[l + 1][static_cast<std::size_t>(a)] == levels[l + 1][static_cast<std::size_t>(b)];
    };
    const LinkRate across = median_rate(inferred, [&](int a, int b) {
      return group[static_cast<std::size_t>(a)] != group[static_cast<std::size_t>(b)] && joined(a, b);
    });
    std::vector<int> here;
    for (std::size_t c = 0; c < group.size(); ++c) {
      if (std::cmp_less(group[c], here.size())) continue;
      const auto position = static_cast<int>(tree.switches.size());
      here.push_back(position);
      tree.switches.push_back({fmt::format("level {} cluster {}", l, group[c]),
                               {},
                               {},
                               across.bandwidth > 0 ? uplinks_of(below, across) : LinkRate{}});
      const int parent = l + 1 == levels.size() ? 0 : above[static_cast<std::size_t>(levels[l + 1][c])];
      tree.switches[static_cast<std::size_t>(parent)].children.push_back(position);
    }
    above = here;
  }
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    tree.switches[static_cast<std::size_t>(above[static_cast<std::size_t>(inferred.cluster[h])])].hosts.push_back(
        hosts[h]);
  }
  if (inferred.clusters == 1) {  // one switch
    tree.switches.front() = tree.switches.back();
    tree.switches.resize(1);
  }
  tree.notes.push_back(
      fmt::format("network: inferred from pairs of hosts, {} clusters; pairs do not show what links carry together",
                  inferred.clusters));
  if (inferred.clusters > 2 && inferred.groups.empty())
    tree.notes.emplace_back("clusters of clusters: none, or latencies are not these of a tree");
  return network_of(tree);
}

namespace network {

FoundNetwork read_pairs(std::string_view text, std::string_view file) {
  std::vector<std::string> hosts;
  std::map<std::string, int> number;
  std::vector<PairMeasurement> pairs;
  const auto host = [&](std::string_view name, const At& at) {
    if (name.empty()) refuse_at(at, "a name is empty");
    const auto [found, added] = number.emplace(std::string(name), static_cast<int>(hosts.size()));
    if (added) hosts.emplace_back(name);
    return found->second;
  };
  At at{file, 0};
  bool header = false;
  for (const std::string_view whole : lines_of(text)) {
    ++at.line;
    const std::string_view line = trimmed(whole);
    if (line.empty() || line.front() == '#') continue;
    if (!header) {
      if (line != "from,to,latency_us,bandwidth_gbytes")
        refuse_at(at, fmt::format("'{}'; allowed is the header from,to,latency_us,bandwidth_gbytes", line));
      header = true;
      continue;
    }
    std::vector<std::string_view> cells;
    for (std::string_view rest = line;;) {
      const auto comma = rest.find(',');
      cells.push_back(trimmed(rest.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    if (cells.size() != 4) refuse_at(at, fmt::format("{} cells; allowed are 4", cells.size()));
    const int from = host(cells[0], at);
    const int to = host(cells[1], at);
    if (from == to) refuse_at(at, fmt::format("'{}' to itself; allowed are two hosts", cells[0]));
    pairs.push_back(
        {from, to, positive(cells[2], "latency_us", at) * 1e-6, positive(cells[3], "bandwidth_gbytes", at) * 1e9});
  }
  if (!header) refuse_at({file, std::max(at.line, 1)}, "no header from,to,latency_us,bandwidth_gbytes");
  return network_of(hosts, infer_network(hosts, pairs));
}

}  // namespace network
}  // namespace halocline::machine
