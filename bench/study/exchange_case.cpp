// SPDX-License-Identifier: BSD-3-Clause
#include "study/exchange_case.hpp"
#include "domain/internals.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "study/ladder.hpp"
#include "support/program.hpp"

namespace halocline::bench {
namespace {

/// A variant with its domain.
struct Running {
  const Variant* variant = nullptr;
  std::unique_ptr<Domain> domain;
  Entry entry;
};

std::unique_ptr<Domain> realised(const StudyContext& context, const CaseRequest& request, const Variant& variant) {
  DomainOptions options = common_options(context.environment, context.options);
  options.routing.policy = variant.policy;
  options.placement = variant.placement;
  if (request.grids) {
    options.partition.method = partition::Method::given;
    options.partition.node_grid = request.grids->nodes;
    options.partition.device_grid = request.grids->devices;
  }
  auto domain =
      std::make_unique<Domain>(request.extent, Stencil::box(context.options.radius), context.world, std::move(options));
  for (int f = 0; f < context.options.fields; ++f) {
    FieldDescriptor field;
    field.name = fmt::format("q{}", f);
    field.element = element_from_string(context.options.element);
    (void)domain->add_field(field);
  }
  domain->realize();
  return domain;
}

Relation relation_of(const Plan& plan, const routing::Route& route) {
  const auto& from = plan.placement.of(route.from);
  const auto& to = plan.placement.of(route.to);
  return {route.from == route.to, from.rank == to.rank, from.node == to.node};
}

/// Counts what the routes carry into the entry; returns how many are not those that were asked for.
std::int64_t take_in_routes(const StudyContext& context, Running& running) {
  const Plan& plan = internals(*running.domain).plan();
  std::map<routing::Transport, std::int64_t> used;
  std::map<subdomain_id, std::int64_t> bytes;
  std::int64_t others = 0;
  for (const auto& [route, size, messages] : internals(*running.domain).gather_routes()) {
    used[route.transport] += messages;
    bytes[route.from] += size;
    running.entry.bytes_out = std::max(running.entry.bytes_out, bytes[route.from]);
    running.entry.messages += messages;
    const auto asked = asked_for(running.variant->policy, relation_of(plan, route));
    if (std::find(asked.begin(), asked.end(), route.transport) != asked.end()) continue;
    if (others++ == 0 && context.world.rank().value() == 0) {
      fmt::print(stderr, "{}: subdomain {} to {} was to go by {}, but: {}\n", running.variant->config,
                 route.from.value(), route.to.value(), asked.empty() ? "nothing" : to_string(asked.front()),
                 route.reason);
    }
  }
  for (const auto& [transport, messages] : used) {
    // What was planned is also what is carried: the running exchange counts for itself.
    const std::int64_t carried =
        context.world.all_reduce(internals(*running.domain).traffic(transport).messages, comm::Reduction::sum);
    if (carried != messages) {
      throw InternalError(
          fmt::format("{} messages are routed by {}, {} are carried", messages, to_string(transport), carried));
    }
    running.entry.routes +=
        fmt::format("{}{} {}", running.entry.routes.empty() ? "" : "; ", to_string(transport), messages);
  }
  return others;
}

}  // namespace

CaseRequest block_case(const StudyContext& context, const std::string& study, std::int64_t block) {
  const auto& shape = context.launch.shape;
  CaseRequest request{study, "block", std::to_string(block), {}, {}, {}};
  request.grids = grids_for_blocks(shape.nodes, shape.gpus_per_node, context.options.grid);
  request.extent = request.grids->all() * Vec3::filled(block);
  return request;
}

CaseRequest domain_case(const StudyContext& context, const std::string& study, const Vec3& extent) {
  CaseRequest request{study, "domain", extent_text(extent), extent, {}, {}};
  const auto& shape = context.launch.shape;
  if (!context.options.grid.empty()) {
    request.grids = grids_for_blocks(shape.nodes, shape.gpus_per_node, context.options.grid);
  }
  return request;
}

std::vector<Variant> ladder_variants(const StudyContext& context, const std::vector<bool>& all_bases) {
  std::vector<Variant> variants;
  for (const bool cuda_aware : all_bases) {
    for (const auto& rung : ladder(cuda_aware, context.options.configs)) {
      variants.push_back({rung.name, cuda_aware, rung.policy, {}, {}});
    }
  }
  return variants;
}

std::int64_t run_case(const StudyContext& context, const CaseRequest& request) {
  std::vector<Running> running;
  std::int64_t others = 0;
  for (const auto& variant : request.variants) {
    Running next{&variant, realised(context, request, variant), {}};
    next.entry.config = variant.config;
    next.entry.cuda_aware = variant.cuda_aware;
    next.entry.note = variant.note;
    others += take_in_routes(context, next);
    running.push_back(std::move(next));
  }
  std::vector<Contender> contenders;
  for (const auto& one : running) {
    Domain* const domain = one.domain.get();
    contenders.push_back({one.variant->config,
                          [domain] {
                            auto exchange = domain->start_exchange();
                            exchange.finish();
                          },
                          [domain] { domain->synchronize(); }});
  }
  const auto timings = take_turns(context.world, contenders, context.options.budget);

  const auto& options = context.options;
  Case what{request.study,  request.size, request.kind,   context.launch.device, context.launch.shape,
            request.extent, {},           options.radius, options.fields,        options.element};
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < running.size(); ++i) {
    running[i].entry.rounds = timings[i];
    what.grid = internals(*running[i].domain).geometry().partition.grid();
    running[i].domain->close();
    entries.push_back(std::move(running[i].entry));
  }
  report(context.world, options.out, what, entries);
  return others;
}

}  // namespace halocline::bench
