// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/simulated_machine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "halocline/error.hpp"
#include "model/section.hpp"
#include "model/simulate.hpp"
#include "plan/cut.hpp"
#include "plan/detail/slots.hpp"

namespace halocline {
namespace {

bool same_kind(const machine::MachineMap& map, const std::vector<placement::Slot>& slots, std::size_t a, std::size_t b,
               std::size_t devices) {
  if (map.nodes[slots[a].node.index()].type != map.nodes[slots[b].node.index()].type) return false;
  const std::int64_t first_a = slots[a].rank.value();
  const std::int64_t first_b = slots[b].rank.value();
  for (std::size_t i = 0; i < devices; ++i) {
    const placement::Slot& one = slots[a + i];
    const placement::Slot& other = slots[b + i];
    if (one.device != other.device || one.ordinal != other.ordinal ||
        one.rank.value() - first_a != other.rank.value() - first_b) {
      return false;
    }
  }
  return true;
}

}  // namespace

SimulatedMachine::SimulatedMachine(machine::MachineMap map_in, const PlanRequest& request, const Freedom& freedom_in)
    : map(std::move(map_in)),
      freedom(freedom_in),
      judge(map, request.policy, request.device_mpi),
      placements(freedom) {}

SimulatedMachines::SimulatedMachines(const PlanRequest& request)
    : request_(request), map_(model::as_measured(request.machine)), slots_(placement::slots_of(map_)) {
  const std::vector<int> slots_of_nodes = first_slots(slots_);
  const std::vector<std::size_t> first(slots_of_nodes.begin(), slots_of_nodes.end() - 1);
  const std::size_t devices = first.size() > 1 ? first[1] : slots_.size();
  bool equal_numbers = devices * first.size() == slots_.size();
  for (std::size_t n = 0; n < first.size(); ++n) equal_numbers = equal_numbers && first[n] == n * devices;
  const auto nodes = static_cast<std::int64_t>(first.size());
  if (!equal_numbers) {
    if (!whole()) throw InternalError("a machine with nodes of unequal numbers of devices has no section");
    sections_[{0, 0}] = std::make_unique<SimulatedMachine>(
        map_, request_, Freedom{.nodes = 1, .devices = std::ssize(slots_), .alike = false, .across_nodes = false});
    return;
  }
  std::vector<std::size_t> stands_for;  // first slot of the kind's first node
  for (const std::size_t slot : first) {
    const auto known = std::ranges::find_if(
        stands_for, [&](std::size_t other) { return same_kind(map_, slots_, slot, other, devices); });
    kind_of_.push_back(static_cast<std::size_t>(known - stands_for.begin()));
    if (known != stands_for.end()) continue;
    stands_for.push_back(slot);
    kinds_.push_back(slots_[slot].node);
  }
  const bool fabric = !std::holds_alternative<machine::Crossbar>(map_.network.fabric.shape);
  if (!whole()) {
    if (fabric) network_.emplace(map_, slots_, share_of_busiest_rail());
    return;
  }
  sections_[{0, 0}] =
      std::make_unique<SimulatedMachine>(map_, request_,
                                         Freedom{.nodes = nodes,
                                                 .devices = static_cast<std::int64_t>(devices),
                                                 .alike = false,
                                                 .across_nodes = nodes > 1 && (kinds_.size() > 1 || fabric)});
}

double SimulatedMachines::share_of_busiest_rail() const {
  double most = 0;
  for (const node_id node : kinds_) {
    const machine::MachineMap two = model::section_of(map_, std::array{node, node});
    most = std::max(most, Judge(two, request_.policy, request_.device_mpi).share_of_busiest_rail());
  }
  return most;
}

std::vector<Case> SimulatedMachines::cases_of(const partition::Partition& parts) {
  std::vector<Case> cases;
  if (whole()) {
    partition::Geometry geometry = geometry_of(request_, parts);
    Messages messages(geometry);
    cases.push_back({sections_.at({0, 0}).get(), std::move(geometry), std::move(messages)});
    return cases;
  }
  PlanRequest section = request_;
  Vec3 node_grid;
  for (int dim = 0; dim < 3; ++dim) {
    const std::int64_t nodes = parts.node_grid()[dim];
    node_grid[dim] = std::min<std::int64_t>(nodes, 2);
    section.extent[dim] = (parts.extent()[dim] + nodes - 1) / nodes * node_grid[dim];
    // Two of many nodes have neighbours on both sides.
    auto& boundary = section.boundaries[static_cast<std::size_t>(dim)];
    if (nodes > 2 && boundary == Boundary::open) boundary = Boundary::periodic;
  }
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    std::unique_ptr<SimulatedMachine>& machine = sections_[{kind, node_grid.volume()}];
    if (!machine) {
      const std::vector<node_id> nodes(static_cast<std::size_t>(node_grid.volume()), kinds_[kind]);
      machine = std::make_unique<SimulatedMachine>(
          model::section_of(map_, nodes), request_,
          Freedom{
              .nodes = node_grid.volume(), .devices = parts.devices_per_node(), .alike = true, .across_nodes = false});
    }
    const Vec3 grid = node_grid * parts.device_grid();
    std::array<std::vector<std::int64_t>, 3> cuts;
    for (int dim = 0; dim < 3; ++dim) {
      for (std::int64_t k = 0; k <= grid[dim]; ++k) {
        cuts[static_cast<std::size_t>(dim)].push_back(section.extent[dim] * k / grid[dim]);
      }
    }
    partition::Geometry geometry = geometry_of(
        section, partition::Partition(section.extent, node_grid, parts.device_grid(), std::move(cuts), parts.order()));
    Messages messages(geometry);
    cases.push_back({machine.get(), std::move(geometry), std::move(messages)});
  }
  return cases;
}

std::optional<std::int64_t> SimulatedMachines::network_load(const partition::Partition& parts) {
  if (!network_) return 0;
  const auto busiest = network_->busiest(request_, parts);
  if (!busiest) return std::nullopt;
  return std::llround(std::min(std::max(busiest->port, busiest->link) * 1e12, 9e18));
}

std::vector<placement::Slot> SimulatedMachines::slots_of(const partition::Partition& parts,
                                                         const std::vector<std::vector<int>>& located) const {
  std::vector<placement::Slot> slots;
  slots.reserve(slots_.size());
  if (whole()) {
    for (const int slot : located.front()) slots.push_back(slots_[static_cast<std::size_t>(slot)]);
    return slots;
  }
  const auto devices = static_cast<std::size_t>(parts.devices_per_node());
  for (std::size_t n = 0; n < kind_of_.size(); ++n) {
    for (std::size_t i = 0; i < devices; ++i) {
      slots.push_back(slots_[n * devices + static_cast<std::size_t>(located[kind_of_[n]][i])]);
    }
  }
  return slots;
}

}  // namespace halocline
