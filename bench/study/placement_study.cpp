// SPDX-License-Identifier: BSD-3-Clause
// Paper, section IV.B and figure 11: the same partition, placed well and badly.
#include <fmt/core.h>

#include "plan/plan.hpp"
#include "study/exchange_case.hpp"
#include "study/ladder.hpp"
#include "support/program.hpp"

namespace halocline::bench {
namespace {

/// The paper's subdomains of 720 x 484 x 700, two in x, the rest in y; on one device fewer, all in y.
CaseRequest papers_case(const StudyContext& context) {
  const auto& shape = context.launch.shape;
  Grids grids = grids_for_blocks(shape.nodes, shape.gpus_per_node, context.options.grid);
  if (context.options.grid.empty()) {
    grids.devices =
        shape.gpus_per_node % 2 == 0 ? Vec3{2, shape.gpus_per_node / 2, 1} : Vec3{1, shape.gpus_per_node, 1};
  }
  const Vec3 extent = grids.all() * Vec3{720, 484, 700};
  return {"placement", "domain", extent_text(extent), extent, grids, {}};
}

/// The geometry of the case as it will be, without memory.
Plan planned(const StudyContext& context, const CaseRequest& request) {
  PlanRequest plan;
  plan.extent = request.extent;
  plan.stencil = Stencil::box(context.options.radius);
  for (int f = 0; f < context.options.fields; ++f) {
    FieldDescriptor field;
    field.name = fmt::format("q{}", f);
    field.element = element_from_string(context.options.element);
    plan.fields.push_back(field);
  }
  plan.machine = context.launch.machine;
  plan.partition = partition::Method::exact;
  if (request.grids) {
    plan.partition = partition::Method::given;
    plan.node_grid = request.grids->nodes;
    plan.device_grid = request.grids->devices;
  }
  return make_plan(plan);
}

std::vector<Variant> placements(const StudyContext& context, const CaseRequest& request, const Rung& rung) {
  const Plan plan = planned(context, request);
  const auto cost = [&](const placement::Request& wanted) {
    return placement::make_placement(plan.geometry, plan.machine, wanted).cost;
  };
  placement::Request worst{placement::Method::random, 0};
  std::int64_t highest = cost(worst);
  for (std::uint64_t seed = 1; seed < context.options.seeds; ++seed) {
    const auto here = cost({placement::Method::random, seed});
    if (here <= highest) continue;
    highest = here;
    worst.seed = seed;
  }
  std::vector<Variant> variants;
  const auto add = [&](const std::string& name, const placement::Request& wanted) {
    const std::string seed = wanted.method == placement::Method::random ? fmt::format(" seed {}", wanted.seed) : "";
    variants.push_back(
        {name + " " + rung.name, false, rung.policy, wanted, fmt::format("cost {}{}", cost(wanted), seed)});
  };
  add("trivial", {placement::Method::trivial, 0});
  const bool few = plan.geometry.partition.devices_per_node() <= 8;
  add("best", {few ? placement::Method::exact : placement::Method::craft, 0});
  add("worst", worst);
  return variants;
}

}  // namespace

std::int64_t placement_study(const StudyContext& context) {
  auto names = context.options.configs;
  if (names.empty()) names = {"+self"};
  std::vector<CaseRequest> requests;
  for (const auto& size : context.options.sizes) {
    requests.push_back(domain_case(context, "placement", extent_from("--size", size)));
  }
  if (requests.empty()) requests.push_back(papers_case(context));
  std::int64_t others = 0;
  for (auto& request : requests) {
    for (const auto& rung : ladder(false, names)) {
      for (auto& variant : placements(context, request, rung)) request.variants.push_back(std::move(variant));
    }
    others += run_case(context, request);
  }
  return others;
}

}  // namespace halocline::bench
