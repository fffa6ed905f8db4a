// SPDX-License-Identifier: BSD-3-Clause
#include "causes/causes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>
#include <utility>

#include "model/exchange_flows.hpp"

namespace halocline::bench {
namespace {

using model::Flow;
using model::SharedResource;

/// One EDR link.
constexpr double link_rate = 12.5e9;

/// From 0 to 1, of a seed: the same with every standard library.
double fraction(std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  generator.discard(8);
  return static_cast<double>(generator() >> 11) * 0x1p-53;
}

/// Sinha et al., SC22: times of the same kernels on Summit's GPUs differ by up to 22 %, and outliers take 1.5 times as long.
double kernels_differ(rank_id rank, double kernels) {
  const auto seed = static_cast<std::uint64_t>(rank.value());
  const bool outlier = fraction(2 * seed) < 0.01;
  return kernels * (outlier ? 0.5 : 0.22 * fraction(2 * seed + 1));
}

auto exponential(double mean) {
  return
      [mean](rank_id rank, double) { return -mean * std::log1p(-fraction(static_cast<std::uint64_t>(rank.value()))); };
}

/// Of one exchange: gives flows the resources that a cause adds.
class Added {
 public:
  Added(const machine::MachineMap& map, const Cause& cause, std::vector<SharedResource> resources)
      : cause_(cause),
        level_(std::get<machine::FatTree>(map.network.fabric.shape).levels.front()),
        resources_(std::move(resources)) {}

  void add_to(Flow& flow, rank_id from) {
    if (flow.work || flow.from.node == flow.to.node) return;
    flow.weights.resize(flow.resources.size(), 1);
    if (cause_.uplink) {
      const std::int64_t leaf = flow.from.node.value() / level_.children;
      const std::int64_t other = flow.to.node.value() / level_.children;
      const auto uplinks = static_cast<int>(std::llround(level_.uplinks.bandwidth / link_rate));
      const int link = cause_.uplink(from, flow.from.node, flow.to.node, uplinks);
      if (leaf != other) {
        use(flow, {"uplink", leaf, link}, link_rate, 1);
        use(flow, {"downlink", other, link}, link_rate, 1);
      }
    }
    if (cause_.message_rate > 0) {
      const double each = 1 / static_cast<double>(std::max<std::int64_t>(flow.bytes, 1));
      use(flow, {"messages from node", flow.from.node.value(), 0}, cause_.message_rate, each);
      use(flow, {"messages to node", flow.to.node.value(), 0}, cause_.message_rate, each);
    }
  }

  [[nodiscard]] const std::vector<SharedResource>& resources() const { return resources_; }

 private:
  using Key = std::tuple<std::string, std::int64_t, int>;

  void use(Flow& flow, const Key& key, double rate, double weight) {
    const auto [found, is_new] = known_.try_emplace(key, static_cast<int>(resources_.size()));
    if (is_new) {
      const auto& [what, number, link] = key;
      resources_.push_back({fmt::format("{} {} {}", what, number, link), rate, "network"});
    }
    flow.resources.push_back(found->second);
    flow.weights.push_back(weight);
  }

  const Cause& cause_;
  machine::FatTreeLevel level_;
  std::vector<SharedResource> resources_;
  std::map<Key, int> known_;
};

/// Seconds that the kernels of the busiest device take: flows within its memory.
double kernels_of(const machine::Interconnect& interconnect, std::span<const Flow> flows) {
  std::map<std::pair<std::int64_t, int>, double> busy;
  std::vector<std::int64_t> path;
  for (const Flow& flow : flows) {
    if (flow.work || flow.from.node != flow.to.node || flow.from.vertex != flow.to.vertex) continue;
    path.clear();
    interconnect.route(flow.from, flow.to, path);
    for (const std::int64_t channel : path) {
      busy[{flow.from.node.value(), flow.from.vertex}] +=
          static_cast<double>(flow.bytes) / interconnect.channel(channel).bandwidth;
    }
  }
  double most = 0;
  for (const auto& [device, seconds] : busy) most = std::max(most, seconds);
  return most;
}

}  // namespace

std::vector<Cause> causes() {
  return {
      {.name = "none"},
      // D-mod-k (Zahavi, 2012), each node with two ports that its sockets use.
      {.name = "static routes by destination",
       .uplink = [](rank_id from, node_id, node_id to,
                    int uplinks) { return static_cast<int>((2 * to.value() + from.value() / 3 % 2) % uplinks); }},
      {.name = "static routes at random",
       .uplink =
           [](rank_id from, node_id, node_id to, int uplinks) {
             const auto seed = static_cast<std::uint64_t>((from.value() / 3) * 100'003 + to.value());
             return static_cast<int>(fraction(seed) * uplinks);
           }},
      // The product brief of ConnectX-5.
      {.name = "200 M messages a second", .message_rate = 200e6},
      {.name = "0.1 M messages a second", .message_rate = 0.1e6},
      {.name = "kernels differ", .late = kernels_differ},
      {.name = "late by 0.1 ms", .late = exponential(0.1e-3)},
      {.name = "late by 1 ms", .late = exponential(1e-3)},
  };
}

double seconds_with(const Plan& plan, std::span<const RoutedMessage> routes, const Cause& cause) {
  std::vector<routing::Route> all;
  for (const RoutedMessage& message : routes) all.push_back(message.route);
  const machine::Interconnect interconnect(plan.machine);
  model::ExchangeFlows made = model::exchange_flows(plan.geometry, plan.placement, all, plan.machine, interconnect);
  const double kernels = kernels_of(interconnect, made.flows);
  Added added(plan.machine, cause, std::move(made.resources));
  for (std::size_t f = 0; f < made.flows.size(); ++f) {
    Flow& flow = made.flows[f];
    added.add_to(flow, made.senders[f]);
    if (cause.late && flow.after.empty()) flow.latency += cause.late(made.senders[f], kernels);
  }
  return simulate(interconnect, added.resources(), made.flows).seconds;
}

}  // namespace halocline::bench
