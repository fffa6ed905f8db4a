// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <memory>

#include "commands/commands.hpp"
#include "documents.hpp"
#include "planning.hpp"
#include "simulation.hpp"
#include "software_options.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

int run_simulate(Context& context, const SimulateFlags& flags) {
  RoutedPlan found = routed_plan_of(context);
  if (!context.root()) return 0;
  flags.apply(found.plan.machine);
  if (found.assumed) decide_messages(context.options, found);
  const model::Simulated time = simulated(found.plan, found.routes, found.messages);
  const model::ClosedForm closed = closed_form_of(found.plan);
  const std::string slowest = slowest_of(time);
  std::int64_t messages = 0;
  for (const Share& share : shares_of(found.routes)) messages += share.messages;

  Json document = document_of("simulate");
  document["domain"] = domain_json(context.options);
  document["machine"] = machine_summary(found.plan.machine);
  document["software"] = software_json(found.plan.machine.software);
  document["assumed"] = found.assumed;
  if (found.ranking) document["messages"] = messages_json(*found.ranking);
  document["transports"] = shares_json(shares_of(found.routes));
  document["simulated_s"] = time.seconds;
  document["slowest"] = slowest;
  document["levels"] = levels_json(time);
  document["closed_form"] = {
      {"seconds", closed.seconds}, {"between_nodes_s", closed.between_nodes}, {"within_node_s", closed.within_node}};
  context.print_document(document);
  context.print_text(fmt::format(
      "one exchange on {}, {} of {}\n\n  simulated    {}, slowest level {}\n  closed form  {} "
      "(between nodes {}, within {})\n\n{}\n{}",
      found.plan.machine.name, plural(messages, "message"), plural(found.plan.geometry.partition.size(), "device"),
      seconds_text(time.seconds), slowest, seconds_text(closed.seconds), seconds_text(closed.between_nodes),
      seconds_text(closed.within_node), levels_table(time), shares_table(shares_of(found.routes))));
  if (found.ranking) context.print_text("\n" + explain_messages(*found.ranking));
  return 0;
}

}  // namespace

void add_simulate_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("simulate", "predict the time of one exchange, with messages that share links");
  add_planning_options(*command, options, Stage::route);
  add_mapping_option(*command, options);
  const auto flags = std::make_shared<SimulateFlags>();
  add_software_options(*command, flags);
  add_word(
      *command, "--study", "NAME", "simulate a series of exchanges: weak, strong, specialisation, placement, or ladder",
      [flags](const auto& name, const auto& word) { flags->study = studies()[parse_choice(name, word, studies())]; });
  add_flag(*command, "--csv", "print the rows of a study as CSV for 'halocline plot'", flags->csv);
  add_examples(*command, {"halocline simulate --machine summit --nodes 2 --size 512",
                          "halocline simulate --machine summit --nodes 4 --study ladder"});
  // The flags live as long as the command.
  command->callback([&chosen, &options, command, flags] {
    if (command->count("--size") > 0 && !flags->study.empty()) {
      refuse_together("--size", "--study, which has sizes of its own");
    }
    if (options.mapping_file && !flags->study.empty()) refuse_together("--mapping", "--study");
    if (flags->csv && flags->study.empty()) refuse_without("--csv", "--study");
    chosen = [flags](Context& context) {
      return flags->study.empty() ? run_simulate(context, *flags) : run_study(context, *flags);
    };
  });
}

}  // namespace cli
