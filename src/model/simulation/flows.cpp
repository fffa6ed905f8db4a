// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/bytes.hpp"
#include "halocline/error.hpp"
#include "machine/names.hpp"
#include "model/simulate.hpp"
#include "model/simulation/message_flows.hpp"
#include "model/simulation/network.hpp"

namespace halocline::model {
namespace {

using machine::Interconnect;
using simulation::LinkFlow;

void check_positions(std::span<const int> positions, std::size_t size, std::size_t flow, std::string_view what) {
  for (const int position : positions) {
    if (position >= 0 && std::cmp_less(position, size)) continue;
    throw InvalidArgument(
        fmt::format("flow {} names {} {}; allowed is one of the {} there are, from 0 on", flow, what, position, size));
  }
}

/// A flow's link and what a byte takes of it.
using Taken = std::pair<int, double>;

/// What is listed twice counts once, with the larger weight. Where all weights are 1, none are said.
void put(std::vector<Taken>& taken, LinkFlow& flow) {
  std::ranges::sort(taken, [](const Taken& a, const Taken& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  const auto repeated = std::ranges::unique(taken, {}, &Taken::first);
  taken.erase(repeated.begin(), repeated.end());
  const bool weighted = std::ranges::any_of(taken, [](const Taken& part) { return part.second != 1; });
  for (const auto& [link, weight] : taken) {
    flow.links.push_back(link);
    if (weighted) flow.weights.push_back(weight);
  }
}

/// The links that a simulator sees: channels that are used, in the order of their first use, then the resources in use.
class LinksOfFlows {
 public:
  LinksOfFlows(const Interconnect& interconnect, std::span<const SharedResource> resources)
      : interconnect_(interconnect), resources_(resources) {
    for (const SharedResource& resource : resources) {
      if (resource.bandwidth > 0 && std::isfinite(resource.bandwidth)) continue;
      throw InvalidArgument(fmt::format("bandwidth of shared resource '{}' is {}; allowed is a finite number above 0",
                                        resource.name, resource.bandwidth));
    }
  }

  /// Channels are told from resources by their sign: resource r is -1 - r.
  int position(std::int64_t id, double bandwidth) {
    const auto [found, is_new] = positions_.try_emplace(id, static_cast<int>(bandwidths.size()));
    if (is_new) {
      bandwidths.push_back(bandwidth);
      bytes_.emplace_back();
      taken_.push_back(0);
      ids_.push_back(id);
    }
    return found->second;
  }

  LinkFlow flow(const Flow& flow) {
    LinkFlow made{{}, flow.bytes, flow.latency, flow.after};
    path_.clear();
    taken_by_flow_.clear();
    if (!flow.work) interconnect_.route(flow.from, flow.to, path_);
    for (const std::int64_t id : path_) {
      const machine::Channel channel = interconnect_.channel(id);
      made.latency += channel.latency;
      taken_by_flow_.emplace_back(position(id, channel.bandwidth), 1);
    }
    for (std::size_t r = 0; r < flow.resources.size(); ++r) {
      const std::int64_t resource = flow.resources[r];
      taken_by_flow_.emplace_back(position(-1 - resource, resources_[static_cast<std::size_t>(resource)].bandwidth),
                                  flow.weights.empty() ? 1 : flow.weights[r]);
    }
    put(taken_by_flow_, made);
    for (std::size_t l = 0; l < made.links.size(); ++l) {
      const auto link = static_cast<std::size_t>(made.links[l]);
      if (!flow.work) bytes_[link] += flow.bytes;
      taken_[link] += made.weight(l) * static_cast<double>(flow.bytes);
    }
    return made;
  }

  [[nodiscard]] std::vector<LevelLoad> levels() const {
    std::map<std::string, LevelLoad> by_name;
    std::map<std::string, Bytes> bytes;
    std::map<std::string, std::int64_t> busiest;
    for (std::size_t l = 0; l < ids_.size(); ++l) {
      if (taken_[l] == 0) continue;
      const std::string name = level_of(ids_[l]);
      LevelLoad& level = by_name[name];
      level.level = name;
      ++level.used;
      bytes[name] += bytes_[l];
      const double seconds = taken_[l] / bandwidths[l];
      // Of equals the first channel, whatever the order of flows.
      const bool more = seconds > level.busy_seconds;
      if (more || (seconds == level.busy_seconds && ids_[l] < busiest[name])) busiest[name] = ids_[l];
      level.busy_seconds = std::max(level.busy_seconds, seconds);
    }
    std::vector<LevelLoad> levels;
    for (auto& [name, level] : by_name) {
      level.bytes = bytes[name].value([&] { return fmt::format("what all links of level '{}' carry", name); });
      const std::int64_t id = busiest[name];
      level.busiest = id < 0 ? resources_[static_cast<std::size_t>(-1 - id)].name : interconnect_.name(id);
      levels.push_back(std::move(level));
    }
    std::stable_sort(levels.begin(), levels.end(),
                     [](const LevelLoad& a, const LevelLoad& b) { return a.busy_seconds > b.busy_seconds; });
    return levels;
  }

  std::vector<double> bandwidths;

 private:
  [[nodiscard]] std::string level_of(std::int64_t id) const {
    if (id < 0) return resources_[static_cast<std::size_t>(-1 - id)].level;
    return std::string(machine::to_string(interconnect_.channel(id).kind));
  }

  const Interconnect& interconnect_;
  std::span<const SharedResource> resources_;
  std::unordered_map<std::int64_t, int> positions_;
  std::vector<std::int64_t> ids_;
  std::vector<Bytes> bytes_;   ///< of flows that go somewhere
  std::vector<double> taken_;  ///< of all flows, by weight
  std::vector<std::int64_t> path_;
  std::vector<Taken> taken_by_flow_;
};

void check(const Flow& flow, std::size_t position, std::size_t flows, std::size_t resources) {
  if (flow.bytes < 0) {
    throw InvalidArgument(fmt::format("bytes of flow {} are {}; allowed is 0 or more", position, flow.bytes));
  }
  if (!(flow.latency >= 0 && std::isfinite(flow.latency))) {
    throw InvalidArgument(
        fmt::format("latency of flow {} is {}; allowed is a finite number of 0 or more", position, flow.latency));
  }
  check_positions(flow.resources, resources, position, "resource");
  if (!flow.weights.empty() && flow.weights.size() != flow.resources.size()) {
    throw InvalidArgument(fmt::format("flow {} has {} weights; allowed is one for each of its {} resources, or none",
                                      position, flow.weights.size(), flow.resources.size()));
  }
  for (const double weight : flow.weights) {
    if (weight > 0 && std::isfinite(weight)) continue;
    throw InvalidArgument(
        fmt::format("a weight of flow {} is {}; allowed is a finite number above 0", position, weight));
  }
  check_positions(flow.after, flows, position, "flow");
}

/// No flow waits for itself, over others or not.
void validate_ordering(std::span<const LinkFlow> flows) {
  std::vector<std::vector<std::size_t>> next(flows.size());
  std::vector<std::size_t> waits(flows.size());
  std::vector<std::size_t> free;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    waits[f] = flows[f].after.size();
    if (waits[f] == 0) free.push_back(f);
    for (const int before : flows[f].after) next[static_cast<std::size_t>(before)].push_back(f);
  }
  while (!free.empty()) {
    const std::size_t flow = free.back();
    free.pop_back();
    for (const std::size_t after : next[flow]) {
      if (--waits[after] == 0) free.push_back(after);
    }
  }
  const auto stuck = std::find_if(waits.begin(), waits.end(), [](std::size_t left) { return left > 0; });
  if (stuck == waits.end()) return;
  throw InvalidArgument(fmt::format(
      "flow {} waits for flows that wait for themselves; allowed is an order without circles", stuck - waits.begin()));
}

std::vector<LinkFlow> checked_flows(LinksOfFlows& links, std::span<const SharedResource> resources,
                                    std::span<const Flow> flows) {
  std::vector<LinkFlow> on_links;
  on_links.reserve(flows.size());
  for (std::size_t f = 0; f < flows.size(); ++f) {
    check(flows[f], f, flows.size(), resources.size());
    on_links.push_back(links.flow(flows[f]));
  }
  validate_ordering(on_links);
  return on_links;
}

}  // namespace

simulation::LinkProblem simulation::link_problem(const Interconnect& interconnect,
                                                 std::span<const SharedResource> resources,
                                                 std::span<const Flow> flows) {
  LinksOfFlows links(interconnect, resources);
  std::vector<LinkFlow> on_links = checked_flows(links, resources, flows);
  return {std::move(links.bandwidths), std::move(on_links)};
}

Simulated simulate(const Interconnect& interconnect, std::span<const SharedResource> resources,
                   std::span<const Flow> flows) {
  LinksOfFlows links(interconnect, resources);
  const std::vector<LinkFlow> on_links = checked_flows(links, resources, flows);
  Simulated result;
  result.ends = simulation::ends_by_max_min(links.bandwidths, on_links);
  for (const double end : result.ends) result.seconds = std::max(result.seconds, end);
  result.levels = links.levels();
  return result;
}

}  // namespace halocline::model
