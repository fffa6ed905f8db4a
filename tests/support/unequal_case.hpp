// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "model/simulate.hpp"
#include "plan/plan.hpp"
#include "support/seeded.hpp"

namespace halocline::test {

/// Of rates from 2 to 100 GB/s, log-uniform.
inline double rate_of(Seeded& seeded) {
  return 2e9 * std::exp(std::log(50.0) * static_cast<double>(seeded.between(0, 1'000'000)) / 1e6);
}

/// Two packages with a network card each; devices below packages or below switches that they share, some joined directly.
inline machine::NodeType unequal_type(Seeded& seeded, int devices) {
  using namespace machine;
  NodeType type;
  type.name = "node";
  const auto link = [&](int a, int b, LinkKind kind) {
    type.links.push_back({a, b, kind, rate_of(seeded), 1e-7 * static_cast<double>(seeded.between(0, 20))});
  };
  for (int p = 0; p < 2; ++p) type.vertices.push_back({.kind = VertexKind::package, .name = "CPU", .cores = 8});
  link(0, 1, LinkKind::inter_package);
  for (int p = 0; p < 2; ++p) {
    type.vertices.push_back({.kind = VertexKind::nic, .name = "NIC"});
    link(2 + p, p, LinkKind::pcie);
  }
  for (int p = 0; p < 2; ++p) {
    type.vertices.push_back({.kind = VertexKind::pci_switch, .name = "switch"});
    link(4 + p, p, LinkKind::pcie);
  }
  const bool load_store = seeded.chance(70);
  for (int d = 0; d < devices; ++d) {
    const int vertex = 6 + d;
    type.vertices.push_back({.kind = VertexKind::device, .name = "GPU", .load_store_domain = load_store ? 0 : -1});
    link(vertex, static_cast<int>(seeded.between(0, 1)) + (seeded.chance(50) ? 4 : 0), LinkKind::pcie);
    for (int other = 0; other < d; ++other) {
      if (seeded.chance(40)) link(6 + other, vertex, LinkKind::nvlink);
    }
  }
  return type;
}

/// A domain on a machine of 2 to 6 devices with links of very different rates.
inline PlanRequest unequal_case(std::uint64_t seed) {
  Seeded seeded(seed);
  PlanRequest request;
  const std::int64_t nodes = seeded.chance(60) ? 1 : seeded.between(2, 3);
  const auto devices = static_cast<int>(nodes == 1 ? seeded.between(2, 6) : seeded.between(1, 6 / nodes));
  request.machine.name = "unequal " + std::to_string(seed);
  const std::int64_t kinds = seeded.chance(50) ? 1 : 2;
  for (std::int64_t k = 0; k < kinds; ++k) request.machine.types.push_back(unequal_type(seeded, devices));
  const bool rank_a_device = seeded.chance(50);
  for (std::int64_t n = 0; n < nodes; ++n) {
    request.machine.nodes.push_back({"n" + std::to_string(n), static_cast<int>(n % kinds), {}, -1});
    for (int r = 0; r < (rank_a_device ? devices : 1); ++r) {
      machine::RankEntry rank{node_id(n), {}};
      for (int d = 0; d < devices; ++d) {
        if (!rank_a_device || d == r) rank.devices.emplace_back(d);
      }
      request.machine.ranks.push_back(rank);
    }
  }
  request.machine.network = {rate_of(seeded), 2e-6, {}};
  request.machine.network.fabric.rails = static_cast<int>(seeded.between(1, 2));
  for (int dim = 0; dim < 3; ++dim) {
    request.extent[dim] = 16 * seeded.between(6, 32);
    if (seeded.chance(50)) request.boundaries[static_cast<std::size_t>(dim)] = Boundary::open;
  }
  request.stencil = seeded.chance(50) ? Stencil::box(seeded.between(1, 3)) : Stencil::star(seeded.between(1, 3));
  for (std::int64_t f = seeded.between(1, 3); f > 0; --f) {
    request.fields.emplace_back();
    request.fields.back().name = "f" + std::to_string(f);
    request.fields.back().element = seeded.chance(50) ? Element::f32 : Element::f64;
  }
  return request;
}

/// The simulated time of a plan, in seconds, over the routes that its machine is assumed to have.
inline double simulated_seconds(const Plan& plan) {
  std::vector<routing::Route> routes;
  for (const RoutedMessage& message : assumed_routes(plan, {}, false)) routes.push_back(message.route);
  return model::simulate_exchange(plan.geometry, plan.placement, routes, plan.machine).seconds;
}

/// By the papers' methods.
inline Plan exact_and_qap(PlanRequest request) {
  request.partition = partition::Method::exact;
  request.placement.method = placement::Method::exact;
  return make_plan(request);
}

/// Calls visit for every grid with every placement of nodes' subdomains on nodes' devices: all orders of equally large nodes, all
/// orders of devices within each.
template <typename Visit>
void for_each_plan(const PlanRequest& request, Visit&& visit) {
  for (const Candidate& candidate : candidates(request).list) {
    PlanRequest one = request;
    one.partition = partition::Method::given;
    one.node_grid = candidate.partition.node_grid();
    one.device_grid = candidate.partition.device_grid();
    one.placement.method = placement::Method::trivial;
    Plan plan = make_plan(one);
    const std::vector<placement::Slot> slots = plan.placement.slots;
    const auto nodes = static_cast<std::size_t>(plan.geometry.partition.nodes());
    const auto devices = static_cast<std::size_t>(plan.geometry.partition.devices_per_node());
    std::vector<std::size_t> order(slots.size());
    std::iota(order.begin(), order.end(), 0U);
    do {
      bool whole_nodes = true;
      for (std::size_t n = 0; n < nodes; ++n) {
        for (std::size_t d = 1; d < devices; ++d) {
          whole_nodes = whole_nodes && order[n * devices] / devices == order[n * devices + d] / devices;
        }
      }
      if (!whole_nodes) continue;
      for (std::size_t s = 0; s < slots.size(); ++s) plan.placement.slots[s] = slots[order[s]];
      visit(plan);
    } while (std::ranges::next_permutation(order).found);
  }
}

}  // namespace halocline::test
