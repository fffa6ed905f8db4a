// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <span>

#include "commands/commands.hpp"
#include "communication.hpp"
#include "documents.hpp"
#include "planning.hpp"
#include "table.hpp"

namespace cli {
namespace {

/// A reason in a table: without the transport's name, which has a column, and without what was not possible.
std::string short_reason(const halocline::routing::Route& route) {
  const std::size_t first = route.reason.find(';');
  std::string reason = route.reason.substr(0, first);
  // What was measured comes next, where it was.
  if (first != std::string::npos && route.reason.compare(first, 10, "; measured") == 0) {
    reason += route.reason.substr(first, route.reason.find(';', first + 1) - first);
  }
  const std::string name = std::string(halocline::routing::to_string(route.transport)) + ": ";
  return reason.rfind(name, 0) == 0 ? reason.substr(name.size()) : reason;
}

int run_route(Context& context, const std::string& communication_file) {
  const RoutedPlan found = routed_plan_of(context);
  if (!communication_file.empty()) write_communication_file(context, communication_file, communication_of(found));
  if (!context.root()) return 0;
  constexpr std::size_t most_rows = 64;
  Table table({"from", "to", "transport", "bytes", "reason"});
  for (const auto& message : std::span(found.routes).first(std::min(most_rows, found.routes.size()))) {
    const auto& route = message.route;
    table.row({fmt::format("{}", route.from.value()), fmt::format("{}", route.to.value()),
               std::string(halocline::routing::to_string(route.transport)), bytes_cell(message.bytes),
               short_reason(route)});
  }
  table.leave_out(found.routes.size() - std::min(most_rows, found.routes.size()));
  const auto shares = shares_of(found.routes);

  Json document = document_of("route");
  document["domain"] = domain_json(context.options);
  document["machine"] = machine_summary(found.plan.machine);
  document["assumed"] = found.assumed;
  document["routes"] = nullptr;  // written one by one
  document["transports"] = shares_json(shares);
  print_document(context, document, routes_list(found.routes));
  context.print_text(
      fmt::format("{}{}{}\n{}", found.assumed ? "for another machine: capabilities are assumed, not probed\n\n" : "",
                  shares_table(shares), share_of_step_text(shares, context.options.steps_per_exchange), table.text()));
  return 0;
}

}  // namespace

void add_route_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("route", "4. choose the transport of each pair of subdomains, with the reason");
  add_planning_options(*command, options, Stage::route);
  add_mapping_option(*command, options);
  auto communication = std::make_shared<std::string>();
  add_communication_option(*command, "write the bytes between ranks in an exchange, as halocline profile writes them",
                           *communication);
  add_examples(*command, {"halocline route --devices 4 --size 64 --fields 4xf32",
                          "halocline route --nodes 2 --devices-per-node 4 --device-mpi"});
  command->callback([&chosen, communication] {
    chosen = [communication](Context& context) { return run_route(context, *communication); };
  });
}

}  // namespace cli
