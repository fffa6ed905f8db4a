// SPDX-License-Identifier: BSD-3-Clause
// Cells in proportion to the speeds of devices.
#include "plan/detail/balance.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "halocline/error.hpp"
#include "plan/cut.hpp"

namespace halocline {
namespace {

using partition::Partition;
using placement::Slot;

/// Times of the slowest device that count as equal.
constexpr double alike = 1.02;
/// Of all grids together that are compared, in subdomains: seconds for the largest machines.
constexpr std::size_t most_weighed = 250'000;

/// The speed of a slot's device.
class Speeds {
 public:
  explicit Speeds(const PlanRequest& request) : speeds_(&request.speeds) {
    std::size_t first = 0;
    for (const auto& rank : request.machine.ranks) {
      first_.push_back(first);
      first += rank.devices.size();
    }
  }
  [[nodiscard]] double of(const Slot& slot) const {
    return (*speeds_)[first_[slot.rank.index()] + static_cast<std::size_t>(slot.ordinal)];
  }
  [[nodiscard]] std::vector<double> of(const std::vector<Slot>& slots) const {
    std::vector<double> all;
    for (const Slot& slot : slots) all.push_back(of(slot));
    return all;
  }

 private:
  const std::vector<double>* speeds_;
  std::vector<std::size_t> first_;  ///< by rank
};

/// A grid, the slots of its subdomains, and imbalance_of() with cuts in proportion to their speeds. Grids and slots stay with the caller.
struct Choice {
  const Partition* even;
  const std::vector<Slot>* slots;
  double imbalance = 0;
};

Partition in_proportion(const PlanRequest& request, const Partition& even, std::vector<double> weights) {
  partition::Request cut = cut_of(request);
  cut.method = partition::Method::given;
  cut.node_grid = even.node_grid();
  cut.device_grid = even.device_grid();
  cut.order = even.order();
  cut.weights = std::move(weights);
  return partition::make_partition(cut);
}

/// The subdomains of a node part on its node's devices: in their order, and the fastest first.
std::vector<std::vector<Slot>> orders_of(const machine::MachineMap& machine, const Speeds& speeds) {
  const std::vector<Slot> in_order = placement::slots_of(machine);
  std::vector<Slot> fastest_first = in_order;
  std::ranges::stable_sort(fastest_first, [&](const Slot& a, const Slot& b) {
    return std::tuple(a.node, -speeds.of(a)) < std::tuple(b.node, -speeds.of(b));
  });
  return {in_order, fastest_first};
}

}  // namespace

double imbalance_of(const Partition& partition, const std::vector<double>& speeds) {
  double slowest = 0;
  for (std::size_t s = 0; s < speeds.size(); ++s) {
    const auto cells = partition.box_of(subdomain_id(static_cast<std::int64_t>(s))).volume();
    slowest = std::max(slowest, static_cast<double>(cells) / speeds[s]);
  }
  const double together = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  return slowest * together / static_cast<double>(checked_volume(partition.extent()));
}

std::vector<double> speeds_by_subdomain(const Plan& plan, const PlanRequest& request) {
  return Speeds(request).of(plan.placement.slots);
}

void check_speeds(const PlanRequest& request) {
  if (!request.weights.empty() || request.cuts) {
    throw InvalidArgument(fmt::format("speeds of devices are given beside {}; allowed is one of the two",
                                      request.cuts ? "cuts" : "weights"));
  }
  const std::size_t devices = placement::slots_of(request.machine).size();
  if (request.speeds.size() != devices) {
    throw InvalidArgument(
        fmt::format("number of speeds is {}; allowed is one a device, {}, or none", request.speeds.size(), devices));
  }
  for (std::size_t i = 0; i < request.speeds.size(); ++i) {
    if (std::isfinite(request.speeds[i]) && request.speeds[i] > 0) continue;
    throw InvalidArgument(
        fmt::format("speed of device {} is {}; allowed are finite numbers above 0", i, request.speeds[i]));
  }
}

bool speeds_differ(const PlanRequest& request) {
  return std::ranges::adjacent_find(request.speeds, std::ranges::not_equal_to{}) != request.speeds.end();
}

void balance(Plan& plan, const PlanRequest& request) {
  const Speeds speeds(request);
  const Partition even = plan.geometry.partition;
  const bool any_grid = !plan.placement.given && (request.partition == partition::Method::automatic ||
                                                  request.partition == partition::Method::fastest);
  const auto most_grids =
      std::clamp<std::size_t>(most_weighed / plan.placement.slots.size(), 1, partition::most_candidates);
  std::vector<Partition> grids;
  std::vector<std::vector<Slot>> orders;
  if (any_grid) grids = partition::candidate_partitions(cut_of(request), most_grids);
  if (!plan.placement.given) orders = orders_of(request.machine, speeds);
  std::vector<Choice> choices{{&even, &plan.placement.slots}};
  for (const Partition& grid : any_grid ? std::span<const Partition>(grids) : std::span(&even, 1)) {
    for (const auto& slots : orders) choices.push_back({&grid, &slots});
  }
  for (Choice& choice : choices) {
    const std::vector<double> weights = speeds.of(*choice.slots);
    choice.imbalance = imbalance_of(in_proportion(request, *choice.even, weights), weights);
  }
  const auto geometry_with = [&](const Choice& choice) {
    return geometry_of(request, in_proportion(request, *choice.even, speeds.of(*choice.slots)));
  };
  const double least = std::ranges::min(choices, {}, &Choice::imbalance).imbalance;
  const Choice* best = nullptr;
  std::pair<std::int64_t, std::int64_t> best_traffic;
  for (const Choice& choice : choices) {
    if (choice.imbalance > alike * least) continue;
    const model::Traffic traffic = model::traffic_of(geometry_with(choice), placement::nodes_of(*choice.slots));
    const std::pair cost(traffic.off_node, traffic.most_sent);
    if (best != nullptr && cost >= best_traffic) continue;
    best = &choice;
    best_traffic = cost;
  }
  plan.geometry = geometry_with(*best);
  if (best != &choices.front()) {
    plan.placement = {.slots = *best->slots};
    plan.placement_method = placement::Method::trivial;
  }
  if (any_grid)
    plan.partition_reason = fmt::format("in proportion to speeds, the best of {} grids and orders", choices.size());
  plan.judged.reset();  // of equal cells
  partition::check_fits(plan.geometry);
}

}  // namespace halocline
