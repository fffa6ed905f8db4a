// SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"
#include "documents.hpp"
#include "io/machine_document.hpp"
#include "planning.hpp"
#include "tuning.hpp"

namespace cli {
namespace {

int run_explain(Context& context) {
  const RoutedPlan found = routed_plan_of(context);
  if (!context.root()) return 0;
  Json document = document_of("explain");
  document["domain"] = domain_json(context.options);
  document["machine"] = halocline::io::document_of(found.plan.machine);
  document["partition"] = partition_json(found.plan);
  document["placement"] = placement_json(found.plan);
  document["assumed"] = found.assumed;
  if (found.ranking) document["messages"] = messages_json(*found.ranking);
  document["routes"] = nullptr;  // written one by one
  document["transports"] = shares_json(shares_of(found.routes));
  print_document(context, document, routes_list(found.routes));
  context.print_text(halocline::explain(found.plan, found.routes));
  if (found.ranking) context.print_text(explain_messages(*found.ranking));
  context.print_text(found.tuned);
  if (found.assumed) context.print_text("(routes are assumed: the machine is not here, nothing was tried)\n");
  return 0;
}

}  // namespace

void add_explain_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("explain", "print all decisions of the pipeline with their reasons");
  add_planning_options(*command, options, Stage::route);
  add_tune_options(*command, options);
  add_examples(*command, {"halocline explain --devices 4 --size 64",
                          "halocline explain --machine summit --nodes 2 --size 1024 --transports=-direct"});
  command->callback([&chosen] { chosen = run_explain; });
}

}  // namespace cli
