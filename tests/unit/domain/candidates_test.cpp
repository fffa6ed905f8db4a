// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/local_ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "machine/names.hpp"
#include "machine/synthetic.hpp"
#include "plan/plan.hpp"
#include "request_hash.hpp"
#include "support/effort.hpp"

namespace halocline {
namespace {

using machine::ExchangeRate;
using machine::HaloPath;
using machine::HaloRows;
using partition::Method;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Eight devices; over their links short rows take `factor` times as long as long ones.
PlanRequest request_with(double factor) {
  PlanRequest request;
  request.extent = {512, 512, 512};
  request.stencil = Stencil::box(3);
  request.fields.emplace_back();
  request.fields.back().name = "u";
  request.machine = machine::synthetic({.devices_per_node = 8, .ranks_per_node = 8});
  request.partition = Method::fastest;
  for (const HaloPath path : machine::all_halo_paths) {
    const double bandwidth = path == HaloPath::link ? 3e11 : 1e13;
    request.machine.types[0].exchange_rates.push_back({path, HaloRows::long_rows, false, 16, bandwidth, 1e-5, 1e-5});
    request.machine.types[0].exchange_rates.push_back(
        {path, HaloRows::short_rows, false, 16, bandwidth / factor, 1e-5, 1e-5});
  }
  return request;
}

/// A machine whose GPUs no typical rates describe.
machine::MachineMap by_pcie(const machine::SyntheticRequest& shape) {
  machine::MachineMap map = machine::synthetic(shape);
  for (machine::Link& link : map.types[0].links) {
    if (link.kind == machine::LinkKind::nvlink) link.kind = machine::LinkKind::pcie;
  }
  return map;
}

TEST(Candidates, fastest_cuts_x_only_where_that_is_cheap) {
  const Plan dear = make_plan(request_with(10));
  EXPECT_EQ(dear.geometry.partition.grid(), (Vec3{1, 2, 4}));
  EXPECT_THAT(dear.partition_reason, HasSubstr("us an exchange, bound by link"));
  EXPECT_THAT(explain_partition(dear), HasSubstr("by fastest: node grid 1 x 1 x 1"));
  EXPECT_THAT(explain_partition(dear), HasSubstr(dear.partition_reason));
  // If unpacking is almost free, only the bytes on links matter.
  const Plan cheap = make_plan(request_with(0.1));
  EXPECT_EQ(cheap.geometry.partition.grid(), (Vec3{2, 2, 2}));
}

TEST(Candidates, fastest_simulates_where_no_rates_were_measured) {
  PlanRequest request = request_with(10);
  request.machine = by_pcie({.devices_per_node = 4, .ranks_per_node = 4});
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.partition, Method::fastest);
  EXPECT_EQ(plan.geometry.partition.grid(), (Vec3{1, 2, 2}));  // bisection's is 2 x 2 x 1
  EXPECT_THAT(plan.partition_reason, HasSubstr("the fastest of 6 grids by simulation"));
  EXPECT_TRUE(plan.judged);
}

TEST(Candidates, are_ordered_by_time_and_know_who_takes_them) {
  const PlanRequest request = request_with(10);
  const Candidates found = candidates(request);
  ASSERT_EQ(found.list.size(), 10u);
  EXPECT_EQ(found.why_not_predicted, "");
  for (std::size_t i = 1; i < found.list.size(); ++i) {
    EXPECT_LE(found.list[i - 1].prediction->picoseconds, found.list[i].prediction->picoseconds);
  }
  EXPECT_EQ(found.list[0].partition.grid(), make_plan(request).geometry.partition.grid());
  EXPECT_THAT(found.list[0].methods, Contains(Method::fastest));
  for (const Method method : {Method::exact, Method::bisection, Method::z_order, Method::fastest}) {
    PlanRequest one = request;
    one.partition = method;
    const auto chosen = make_plan(one).geometry.partition;
    for (const Candidate& candidate : found.list) {
      const bool takes = std::count(candidate.methods.begin(), candidate.methods.end(), method) == 1;
      EXPECT_EQ(takes, candidate.partition.grid() == chosen.grid()) << to_string(method);
    }
  }
}

TEST(Candidates, are_ordered_by_simulated_time_where_no_rates_were_measured) {
  PlanRequest request = request_with(10);
  request.machine = by_pcie({.devices_per_node = 8, .ranks_per_node = 8});
  const Candidates found = candidates(request);
  EXPECT_EQ(found.why_not_predicted, "");
  EXPECT_TRUE(found.together);
  EXPECT_TRUE(found.list[0].simulated);
  EXPECT_THAT(found.list[0].methods, Contains(Method::fastest));
  for (std::size_t i = 1; i < found.list.size(); ++i) {
    EXPECT_FALSE(found.list[i].prediction);
    EXPECT_LE(found.list[i - 1].together, found.list[i].together);
    EXPECT_THAT(found.list[i].methods, Not(Contains(Method::fastest)));
  }
}

TEST(Candidates, are_ordered_by_bytes_where_nothing_is_predicted) {
  PlanRequest request = request_with(10);
  request.machine = by_pcie({.nodes = 12, .devices_per_node = 6, .ranks_per_node = 6});
  request.machine.ranks.pop_back();
  const Candidates found = candidates(request);
  EXPECT_THAT(found.why_not_predicted, HasSubstr("nodes hold unequal numbers of devices, 71 in all"));
  const Vec3 grid = make_plan(request).geometry.partition.grid();  // of exact
  for (std::size_t i = 0; i < found.list.size(); ++i) {
    EXPECT_FALSE(found.list[i].prediction);
    EXPECT_FALSE(found.list[i].together);
    if (i > 0) {
      EXPECT_LE(found.list[i - 1].traffic.most_sent, found.list[i].traffic.most_sent);
    }
    EXPECT_EQ(std::ranges::count(found.list[i].methods, Method::fastest),
              found.list[i].partition.grid() == grid ? 1 : 0);
  }
}

TEST(Candidates, do_not_depend_on_given_grids) {
  PlanRequest request = request_with(10);
  request.machine = machine::synthetic({.nodes = 2, .devices_per_node = 2, .ranks_per_node = 2});
  const std::size_t all = candidates(request).list.size();
  PlanRequest of_nodes = request;
  of_nodes.node_grid = Vec3{1, 1, 2};
  PlanRequest of_devices = request;
  of_devices.device_grid = Vec3{1, 1, 2};
  EXPECT_EQ(candidates(of_nodes).list.size(), all);
  EXPECT_EQ(candidates(of_devices).list.size(), all);
}

TEST(Candidates, do_not_depend_on_given_cuts_and_owners) {
  PlanRequest request = request_with(10);
  request.machine = machine::synthetic({.nodes = 2, .devices_per_node = 2, .ranks_per_node = 2});
  const Candidates found = candidates(request);
  request.cuts = partition::Cuts{{{0, 8, 512}, {0, 8, 512}, {0, 512}}};
  for (const std::int64_t rank : {3, 1, 0, 2}) request.placement.owners.push_back({rank_id(rank), 0});
  const Candidates same = candidates(request);
  ASSERT_EQ(same.list.size(), found.list.size());
  for (std::size_t i = 0; i < found.list.size(); ++i) {
    EXPECT_EQ(same.list[i].partition, found.list[i].partition);
    EXPECT_EQ(same.list[i].methods, found.list[i].methods);
  }
}

TEST(Candidates, of_many_nodes_are_found_quickly) {
  HALOCLINE_IS_LARGE();
  PlanRequest request = request_with(10);
  request.extent = {8653, 8653, 8653};
  const auto rates = request.machine.types[0].exchange_rates;
  request.machine = machine::synthetic({.nodes = 256, .devices_per_node = 6, .ranks_per_node = 6});
  request.machine.types[0].exchange_rates = rates;
  request.placement.method = placement::Method::trivial;
  EXPECT_EQ(make_plan(request).geometry.partition.size(), 1536);
}

TEST(Candidates, hash_sees_rates_that_decide) {
  const PlanRequest base = request_with(10);
  PlanRequest other = base;
  other.machine.types[0].exchange_rates[1].bandwidth *= 2;
  EXPECT_NE(hash_of(base), hash_of(other));
  other = base;
  other.tuning.short_row_bytes = 32;
  EXPECT_NE(hash_of(base), hash_of(other));
}

TEST(Candidates, a_domain_takes_the_fastest_grid_of_the_map_it_is_given) {
  comm::run_as_threads(4, [](comm::RankGroup& comm) {
    DomainOptions options;
    options.partition.method = Method::fastest;
    machine::MachineMap map = machine::synthetic({.devices_per_node = 4, .ranks_per_node = 4});
    map.types[0].exchange_rates = request_with(10).machine.types[0].exchange_rates;
    options.machine.map = map;
    Domain domain({64, 64, 64}, Stencil::box(3), comm, options);
    domain.add_field<float>("u");
    domain.realize();
    EXPECT_EQ(internals(domain).geometry().partition.grid().x, 1);
    domain.exchange();
    domain.synchronize();
    EXPECT_THAT(domain.explain(), HasSubstr("predicted"));
    domain.close();
  });
}

TEST(Candidates, a_domain_counts_rows_as_it_moves_them) {
  DomainOptions options;
  options.partition.method = Method::fastest;
  options.devices.per_rank = 4;
  options.devices.kind = halocline::DeviceKind::host;
  machine::MachineMap map = machine::synthetic({.devices_per_node = 4, .ranks_per_node = 1});
  map.types[0].exchange_rates = request_with(0.01).machine.types[0].exchange_rates;
  for (ExchangeRate& rate : map.types[0].exchange_rates) rate.latency = rate.least = 0;
  options.machine.map = map;
  const auto grid_of = [&] {
    Domain domain({64, 64, 64}, Stencil::box(3), options);
    domain.add_field<float>("u");
    return internals(domain).plan().geometry.partition.grid();
  };
  EXPECT_EQ(grid_of(), (Vec3{4, 1, 1}));  // short rows cost almost nothing extra
  options.tuning.short_row_bytes = 1;     // no row counts as short
  EXPECT_EQ(grid_of(), (Vec3{1, 2, 2}));
}

}  // namespace
}  // namespace halocline
