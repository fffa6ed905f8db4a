// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "machine/machine_map.hpp"
#include "machine/names.hpp"
#include "machine/synthetic.hpp"
#include "partition/node_kinds.hpp"
#include "partition/strategy.hpp"
#include "placement/lower_bound.hpp"
#include "placement/node_placer.hpp"
#include "planner/planner.hpp"

namespace halocline::bench {
namespace {

using placement::Assignment;

/// A way to place. One more is one more line in solvers().
struct Solver {
  std::string name;
  std::function<std::vector<int>(const Assignment&)> solve;
};

std::vector<int> in_order(const Assignment& problem) {
  std::vector<int> places(static_cast<std::size_t>(problem.n));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

/// What planning takes: Method::automatic.
std::vector<int> ours(const Assignment& problem) {
  return problem.n <= 8 ? placement::solve_exact(problem) : placement::solve_craft(problem);
}

std::vector<Solver> solvers() {
  std::vector<Solver> all{{"in order", in_order},
                          {"random", [](const Assignment& problem) { return placement::solve_random(problem.n, 1); }}};
  if (mapping::have_scotch()) all.push_back({"Scotch", solve_scotch});
  all.push_back({"CRAFT", placement::solve_craft});
  all.push_back({"ours", ours});
  return all;
}

/// Flows and distances of equal chance; nothing to hold on to.
Assignment unstructured(int n, std::mt19937_64& random) {
  Assignment problem{n, {}, {}};
  for (int i = 0; i < n * n; ++i) {
    problem.flow.push_back(static_cast<std::int64_t>(random() % (1 << 20)));
    problem.distance.push_back(static_cast<std::int64_t>(random() % (1 << 20)));
  }
  return problem;
}

/// A domain cut for one node, on devices in groups of which links within are faster than those between.
Assignment halo_like(int n, std::mt19937_64& random) {
  partition::Request request{.extent = {}, .halo = Stencil::box(2), .devices_per_node = n};
  for (int dim = 0; dim < 3; ++dim) request.extent[dim] = static_cast<std::int64_t>(60 + random() % 400);
  const partition::Geometry geometry{
      partition::make_partition(request), {FieldDescriptor{}}, Stencil::box(2), all_periodic};
  Assignment problem{n, std::vector<std::int64_t>(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)), {}};
  for (std::int64_t i = 0; i < n; ++i) {
    for (const auto& flow : partition::outgoing_flows(geometry, subdomain_id(i))) {
      problem.flow[static_cast<std::size_t>(i * n + flow.to.value())] = flow.bytes;
    }
  }
  const std::vector<int> group = placement::solve_random(n, random());
  const int size = 2 + static_cast<int>(random() % 3);
  const std::int64_t slow = 2 + static_cast<std::int64_t>(random() % 6);
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      const int of_a = group[static_cast<std::size_t>(a)] / size;
      const int of_b = group[static_cast<std::size_t>(b)] / size;
      problem.distance.push_back(a == b ? 0 : of_a == of_b ? 1 : slow + std::abs(of_a - of_b));
    }
  }
  return problem;
}

double percent_above(std::int64_t cost, std::int64_t least) {
  return least == 0 ? 0 : 100.0 * static_cast<double>(cost - least) / static_cast<double>(least);
}

}  // namespace

void quality_table(int problems) {
  std::mt19937_64 random(2026);
  fmt::print("{} random problems of 4 to 12 devices; cost above the optimum\n", problems);
  fmt::print("{:<14} {:<14} {:>9} {:>10} {:>10} {:>10}\n", "problems", "placed by", "number", "optimal", "mean",
             "worst");
  for (const bool halos : {false, true}) {
    std::vector<Assignment> all;
    std::vector<std::int64_t> optimum;
    for (int i = 0; i < problems / 2; ++i) {
      const int n = 4 + i % 9;
      all.push_back(halos ? halo_like(n, random) : unstructured(n, random));
      optimum.push_back(all.back().cost(placement::solve_exact(all.back())));
    }
    const auto row = [&](const std::string& name, auto&& cost_of) {
      double sum = 0;
      double worst = 0;
      int optimal = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double gap = percent_above(cost_of(all[i]), optimum[i]);
        sum += gap;
        worst = std::abs(gap) > std::abs(worst) ? gap : worst;
        optimal += gap == 0 ? 1 : 0;
      }
      fmt::print("{:<14} {:<14} {:>9} {:>10} {:>8.3f} % {:>8.3f} %\n", halos ? "halo-like" : "unstructured", name,
                 all.size(), optimal, sum / static_cast<double>(all.size()), worst);
    };
    for (const Solver& solver : solvers()) {
      row(solver.name, [&](const Assignment& problem) { return problem.cost(solver.solve(problem)); });
    }
    row("lower bound", placement::lower_bound);
  }
}

void summit_table(const std::vector<std::int64_t>& nodes) {
  // The proportions of a Summit node: two triads, 50 GB/s within and to the CPU, 64 GB/s between the CPUs
  // (machines/summit.json has the sources). Paths between triads are shared by more pairs than this counts.
  machine::MachineMap map;
  map.name = "two triads";
  machine::NodeType type{.name = "two triads", .vertices = {}, .links = {}, .measurements = {}, .exchange_rates = {}};
  for (int p = 0; p < 2; ++p) type.vertices.push_back({machine::VertexKind::package, "package", 0, 0, -1});
  type.links.push_back({0, 1, machine::LinkKind::inter_package, 64e9, 2e-7});
  for (int d = 0; d < 6; ++d) {
    const int vertex = 2 + d;
    type.vertices.push_back({machine::VertexKind::device, "device", 0, 0, 0});
    type.links.push_back({vertex, vertex, machine::LinkKind::memory, 900e9, 5e-7});
    type.links.push_back({vertex, d / 3, machine::LinkKind::nvlink, 50e9, 7e-7});
    for (int other = d / 3 * 3; other < d; ++other) {
      type.links.push_back({vertex, 2 + other, machine::LinkKind::nvlink, 50e9, 7e-7});
    }
  }
  map.types.push_back(std::move(type));
  fmt::print("nodes of two triads, radius 3, 4 fp32 fields; cost above the sum of the nodes' lower bounds\n");
  fmt::print("{:>8} {:<22} {:<10} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "devices", "cells", "grid", "kinds",
             "in order", "random", "CRAFT", "exact", "Scotch");
  for (const std::int64_t count : nodes) {
    map.nodes.assign(static_cast<std::size_t>(count), {"node", 0, {}, -1});
    machine::assign_ranks(map, 6);
    for (const Vec3& extent : {Vec3{4096, 4096, 4096}, Vec3{6144, 3072, 1536}, Vec3{1440, 1452, 7000}}) {
      const partition::Request request{
          .extent = extent, .halo = Stencil::box(3), .nodes = count, .devices_per_node = 6};
      const partition::Geometry geometry{partition::make_partition(request), std::vector<FieldDescriptor>(4),
                                         Stencil::box(3), all_periodic};
      const placement::NodePlacer placer(geometry, map, {});
      const partition::NodeKinds kinds(geometry);
      const auto over_kinds = [&](auto&& cost_of) {
        std::int64_t sum = 0;
        for (const auto& kind : kinds.all()) sum += kind.count * cost_of(placer.problem_of(kind.node_part));
        return sum;
      };
      const std::int64_t bound = over_kinds(placement::lower_bound);
      std::string gaps;
      for (const auto method : {placement::Method::trivial, placement::Method::random, placement::Method::craft,
                                placement::Method::exact}) {
        const std::int64_t cost = placement::make_placement(geometry, map, {method, 1}).cost;
        gaps += fmt::format(" {:>8.3f} %", percent_above(cost, bound));
      }
      if (mapping::have_scotch()) {
        const std::int64_t cost = over_kinds([](const Assignment& one) { return one.cost(solve_scotch(one)); });
        gaps += fmt::format(" {:>8.3f} %", percent_above(cost, bound));
      }
      fmt::print("{:>8} {:<22} {:<10} {:>8}{}\n", count * 6, to_string(extent),
                 to_string(geometry.partition.device_grid()), kinds.all().size(), gaps);
    }
  }
}

}  // namespace halocline::bench
