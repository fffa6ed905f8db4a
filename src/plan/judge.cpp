// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/at.hpp"
#include "model/simulate.hpp"

namespace halocline {
namespace {

std::int64_t picoseconds_of(double seconds) { return std::llround(std::min(seconds * 1e12, 9e18)); }

routing::Policy without_exceptions(routing::Policy policy) {
  policy.exceptions.clear();
  return policy;
}

}  // namespace

Messages::Messages(const partition::Geometry& geometry) {
  for (std::int64_t s = 0; s < geometry.partition.size(); ++s) {
    for (const partition::Flow& flow : partition::outgoing_flows(geometry, subdomain_id(s))) list.push_back(flow);
  }
}

Judge::Judge(const machine::MachineMap& map, const routing::Policy& policy, bool device_mpi)
    : map_(map),
      policy_(policy),
      slots_(placement::slots_of(map)),
      interconnect_(map),
      occupancy_(map, interconnect_, slots_),
      router_(map, without_exceptions(policy), device_mpi),
      with_exceptions_(map, policy, device_mpi),
      pairs_(slots_.size() * slots_.size()) {}

const Judge::Pair& Judge::pair(int from, int to) {
  const auto a = static_cast<std::size_t>(from);
  const auto b = static_cast<std::size_t>(to);
  std::unique_ptr<Pair>& known = pairs_[a * slots_.size() + b];
  if (known) return *known;
  known = std::make_unique<Pair>();
  Pair& pair = *known;
  const partition::Flow flow{subdomain_id(from), subdomain_id(to), 1};
  pair.transport = router_.route(flow, slots_[a], slots_[b]).route.transport;
  pair.message = occupancy_.of(a, b, pair.transport);
  busy_.resize(occupancy_.resources());
  return pair;
}

Judge::Bound Judge::bound(const Messages& messages, std::span<const int> slot_of) {
  std::ranges::fill(busy_, 0);
  double slowest = 0;
  double all = 0;
  for (const partition::Flow& flow : messages.list) {
    const Pair& taken = pair(slot_of[flow.from.index()], slot_of[flow.to.index()]);
    const auto bytes = static_cast<double>(flow.bytes);
    for (const auto& [resource, channel, per_byte, fixed] : taken.message.parts) {
      busy_[static_cast<std::size_t>(resource)] += bytes * per_byte + fixed;
    }
    const double alone = taken.message.latency + bytes * taken.message.per_byte;
    slowest = std::max(slowest, alone);
    all += alone;
  }
  for (const double seconds : busy_) slowest = std::max(slowest, seconds);
  return {picoseconds_of(slowest), picoseconds_of(all)};
}

std::int64_t Judge::meetings(const Messages& messages, std::span<const int> slot_of) {
  static_cast<void>(bound(messages, slot_of));  // sets busy_
  double squares = 0;
  for (const partition::Flow& flow : messages.list) {
    double met = 0;
    for (const auto& part : pair(slot_of[flow.from.index()], slot_of[flow.to.index()]).message.parts) {
      met += busy_[static_cast<std::size_t>(part.resource)];
    }
    squares += met * met;
  }
  return picoseconds_of(std::sqrt(squares));
}

double Judge::share_of_busiest_rail() {
  std::vector<std::int64_t> messages(at(interconnect_.rails()), 0);
  const int devices = static_cast<int>(slots_.size() / 2);
  for (int device = 0; device < devices; ++device) {
    std::set<std::int64_t> rails;
    for (const auto& part : pair(device, devices + device).message.parts) {
      const std::int64_t of_network = part.channel - interconnect_.first_network_channel();
      if (of_network >= 0) rails.insert(of_network / interconnect_.channels_of_rail());
    }
    for (const std::int64_t rail : rails) ++messages[at(rail)];
  }
  const std::int64_t all = std::accumulate(messages.begin(), messages.end(), std::int64_t{0});
  if (all == 0) return 1.0 / interconnect_.rails();
  return static_cast<double>(std::ranges::max(messages)) / static_cast<double>(all);
}

std::int64_t Judge::simulate(const partition::Geometry& geometry, const Messages& messages,
                             std::span<const int> slot_of) {
  placement::Placement placement;
  placement.slots.reserve(slot_of.size());
  for (const int slot : slot_of) placement.slots.push_back(slots_[static_cast<std::size_t>(slot)]);
  std::vector<routing::Route> routes;
  routes.reserve(messages.list.size());
  for (const partition::Flow& flow : messages.list) {
    if (policy_.exceptions.empty()) {
      const Pair& taken = pair(slot_of[flow.from.index()], slot_of[flow.to.index()]);
      routes.push_back({flow.from, flow.to, taken.transport, {}});
    } else {
      routes.push_back(with_exceptions_.route(flow, placement.of(flow.from), placement.of(flow.to)).route);
    }
  }
  return picoseconds_of(model::simulate_exchange(geometry, placement, routes, map_, interconnect_).seconds);
}

}  // namespace halocline
