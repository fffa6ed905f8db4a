// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "commands/commands.hpp"
#include "documents.hpp"
#include "partition/halo.hpp"
#include "planning.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

/// What leaves a subdomain in one exchange, and how much of it leaves its node: in messages that hold each cell once.
struct Halo {
  std::int64_t bytes = 0;
  std::int64_t off_node = 0;
};

Halo halo_of(const Plan& plan, subdomain_id subdomain) {
  Halo halo;
  for (const auto& flow : partition::outgoing_flows(plan.geometry, subdomain)) {
    const bool off_node = plan.placement.of(flow.from).node != plan.placement.of(flow.to).node;
    halo.bytes += off_node ? flow.bytes_once : flow.bytes;
    if (off_node) halo.off_node += flow.bytes_once;
  }
  return halo;
}

std::string methods_text(const Candidate& candidate) {
  std::string text;
  for (const auto method : candidate.methods) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", partition::to_string(method));
  }
  return text;
}

/// What the table orders by; empty where nothing is known.
Cell time_cell(const Candidate& candidate) {
  if (candidate.together) return seconds_cell(1e-12 * static_cast<double>(*candidate.together));
  return candidate.prediction ? seconds_cell(candidate.prediction->seconds()) : Cell("-");
}

std::string bound_text(const Candidate& candidate) {
  if (candidate.together) return candidate.simulated ? "links" : "links, at least";
  return candidate.prediction ? std::string(model::to_string(candidate.prediction->bound)) : "-";
}

std::string ordered_by(const Candidates& found) {
  if (found.together) return "an exchange's time simulated, with the best placement found";
  return found.why_not_predicted.empty() ? "an exchange's time predicted, back to back" + found.origin
                                         : "by bytes, with nothing predicted";
}

std::string candidates_table(const Candidates& found) {
  Table table({"grid", "node grid", "device grid", "a device sends", "off node", "predicted", "bound by", "chosen by"});
  for (const Candidate& candidate : found.list) {
    const auto& parts = candidate.partition;
    table.row({to_string(parts.grid()), to_string(parts.node_grid()), to_string(parts.device_grid()),
               bytes_cell(candidate.traffic.most_sent), bytes_cell(candidate.traffic.off_node), time_cell(candidate),
               bound_text(candidate), methods_text(candidate)});
  }
  table.limit(64);
  std::string text =
      fmt::format("\n{}, {}\n{}", plural(std::ssize(found.list), "candidate"), ordered_by(found), table.text());
  if (!found.why_not_predicted.empty()) text += fmt::format("no prediction: {}\n", found.why_not_predicted);
  return text;
}

Json candidates_json(const Candidates& found) {
  Json list = Json::array();
  for (const Candidate& candidate : found.list) {
    const auto& parts = candidate.partition;
    Json one{{"grid", json_of(parts.grid())},
             {"node_grid", json_of(parts.node_grid())},
             {"device_grid", json_of(parts.device_grid())},
             {"most_bytes_of_a_device", candidate.traffic.most_sent},
             {"bytes_off_node", candidate.traffic.off_node}};
    if (candidate.together) {
      one[candidate.simulated ? "predicted_s" : "predicted_at_least_s"] =
          1e-12 * static_cast<double>(*candidate.together);
      one["bound"] = "links";
    } else if (candidate.prediction) {
      one["predicted_s"] = candidate.prediction->seconds();
      one["bound"] = model::to_string(candidate.prediction->bound);
    }
    one["methods"] = Json::array();
    for (const auto method : candidate.methods) one["methods"].push_back(partition::to_string(method));
    list.push_back(std::move(one));
  }
  return list;
}

int run_partition(Context& context, bool explain) {
  const PlanRequest request = plan_request_of(context);
  const Plan plan = make_plan(request);
  const auto& partition = plan.geometry.partition;
  if (!context.root()) return 0;
  Table table({"subdomain", "index", "node part", "cells", "bytes sent", "off node"});
  Halo all;
  for (std::int64_t s = 0; s < partition.size(); ++s) {
    const subdomain_id id(s);
    const Halo halo = halo_of(plan, id);
    all.bytes += halo.bytes;
    all.off_node += halo.off_node;
    table.row({fmt::format("{}", s), to_string(partition.index_of(id)), fmt::format("{}", partition.node_part_of(id)),
               to_string(partition.box_of(id)), bytes_cell(halo.bytes), bytes_cell(halo.off_node)});
  }
  table.limit(64);

  const std::int64_t steps = plan.steps_per_exchange;
  Json document = document_of("partition");
  document["domain"] = domain_json(context.options);
  document["machine"] = machine_summary(plan.machine);
  document["partition"] = partition_json(plan);
  document["bytes_per_exchange"] = {{"all", all.bytes}, {"off_node", all.off_node}};
  Candidates found;
  if (explain) {
    found = candidates(request);
    document["candidates"] = candidates_json(found);
    if (!found.why_not_predicted.empty()) document["why_not_predicted"] = found.why_not_predicted;
  }
  context.print_document(document);
  context.print_text(fmt::format(
      "{} cut by {} into {} of {}: grid {} = {} * {}\n{}{}"
      "one exchange moves {}, {} of it between nodes{}\n{}",
      to_string(partition.extent()), partition::to_string(plan.partition), plural(partition.nodes(), "node"),
      plural(partition.devices_per_node(), "device"), to_string(partition.grid()), to_string(partition.node_grid()),
      to_string(partition.device_grid()), plan.partition_reason.empty() ? "" : plan.partition_reason + "\n",
      explain_balance(plan), bytes_text(all.bytes), bytes_text(all.off_node),
      steps > 1 ? fmt::format("; it serves {} steps, {} each", steps, bytes_text(all.bytes / steps)) : "",
      explain ? candidates_table(found) : "\n" + table.text()));
  return 0;
}

}  // namespace

void add_partition_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("partition", "2. cut the domain into subdomains");
  add_planning_options(*command, options, Stage::partition);
  auto explain = std::make_shared<bool>(false);
  add_flag(*command, "--explain", "list the candidate grids: bytes, predicted times, and the methods that choose them",
           *explain);
  add_examples(*command, {"halocline partition --nodes 4 --devices-per-node 4 --size 512 --radius 3",
                          "halocline partition --machine summit --nodes 2 --size 512 --explain"});
  command->callback(
      [&chosen, explain] { chosen = [explain](Context& context) { return run_partition(context, *explain); }; });
}

}  // namespace cli
