#include <fmt/core.h>

#include <algorithm>

#include "commands/commands.hpp"
#include "documents.hpp"
#include "halocline/partition/halo.hpp"
#include "planning.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

/// What leaves a subdomain in one exchange, and how much of it leaves its node.
struct Halo {
  std::int64_t bytes = 0;
  std::int64_t off_node = 0;
};

Halo halo_of(const partition::Geometry& geometry, subdomain_id subdomain) {
  Halo halo;
  for (const auto& flow : partition::outgoing_flows(geometry, subdomain)) {
    halo.bytes += flow.bytes;
    const auto& p = geometry.partition;
    if (p.node_part_of(flow.from) != p.node_part_of(flow.to)) halo.off_node += flow.bytes;
  }
  return halo;
}

int run_partition(Context& context) {
  const Plan plan = plan_of(context);
  const auto& partition = plan.geometry.partition;
  if (!context.root()) return 0;
  Table table({"subdomain", "index", "node part", "cells", "bytes sent", "off node"});
  Halo all;
  for (std::int64_t s = 0; s < partition.size(); ++s) {
    const subdomain_id id(s);
    const Halo halo = halo_of(plan.geometry, id);
    all.bytes += halo.bytes;
    all.off_node += halo.off_node;
    table.row({fmt::format("{}", s), to_string(partition.index_of(id)), fmt::format("{}", partition.node_part_of(id)),
               to_string(partition.box_of(id)), bytes_text(halo.bytes), bytes_text(halo.off_node)});
  }
  table.limit(64);

  const std::int64_t steps = plan.halo_multiplier;
  Json document = document_of("partition");
  document["domain"] = domain_json(context.options);
  document["machine"] = machine_summary(plan.machine);
  document["partition"] = partition_json(plan);
  document["bytes_per_exchange"] = {{"all", all.bytes}, {"off_node", all.off_node}};
  context.print_document(document);
  context.print_text(fmt::format(
      "{} cut by {} into {} of {}: grid {} = {} * {}\n"
      "one exchange moves {}, {} of it between nodes{}\n\n{}",
      to_string(partition.extent()), partition::to_string(plan.partition), plural(partition.nodes(), "node"),
      plural(partition.devices_per_node(), "device"), to_string(partition.grid()), to_string(partition.node_grid()),
      to_string(partition.device_grid()), bytes_text(all.bytes), bytes_text(all.off_node),
      steps > 1 ? fmt::format("; it serves {} steps, {} each", steps, bytes_text(all.bytes / steps)) : "",
      table.text()));
  return 0;
}

}  // namespace

void add_partition_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("partition", "2. how the domain is cut into subdomains");
  add_planning_options(*command, options);
  command->callback([&chosen] { chosen = run_partition; });
}

}  // namespace cli
