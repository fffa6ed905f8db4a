#include <fmt/core.h>

#include <memory>

#include "commands/commands.hpp"
#include "documents.hpp"
#include "planning.hpp"
#include "simulation.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

Json parameters_json(const model::ExchangeParameters& parameters) {
  return {{"mpi_copy_bytes_per_s", parameters.mpi_copy},
          {"mpi_injection_bytes_per_s", parameters.mpi_injection},
          {"mpi_latency_s", parameters.mpi_latency},
          {"mpi_serialises_streams", parameters.mpi_serialises_streams},
          {"serial_copies", parameters.serial_copies}};
}

int run_simulate(Context& context, const SimulateFlags& flags) {
  const RoutedPlan found = routed_plan_of(context);
  if (!context.root()) return 0;
  const model::Simulated time = simulated(found.plan, found.routes, flags.parameters);
  const model::ClosedForm closed = closed_form_of(found.plan);
  const std::string slowest = time.levels.empty() ? "none" : time.levels.front().level;

  Json document = document_of("simulate");
  document["domain"] = domain_json(context.options);
  document["machine"] = machine_summary(found.plan.machine);
  document["parameters"] = parameters_json(flags.parameters);
  document["assumed"] = found.assumed;
  document["transports"] = shares_json(shares_of(found.routes));
  document["simulated_s"] = time.seconds;
  document["slowest"] = slowest;
  document["levels"] = levels_json(time);
  document["closed_form"] = {
      {"seconds", closed.seconds}, {"between_nodes_s", closed.between_nodes}, {"within_node_s", closed.within_node}};
  context.print_document(document);
  context.print_text(
      fmt::format("one exchange on {}, {} of {}\n\n  simulated    {}, slowest level {}\n  closed form  {} "
                  "(between nodes {}, within {})\n\n{}\n{}",
                  found.plan.machine.name, plural(std::ssize(found.routes), "message"),
                  plural(found.plan.machine.device_count(), "device"), seconds_text(time.seconds), slowest,
                  seconds_text(closed.seconds), seconds_text(closed.between_nodes), seconds_text(closed.within_node),
                  levels_table(time), shares_table(shares_of(found.routes))));
  return 0;
}

/// A rate of MPI in GB/s.
void add_rate(CLI::App& command, const std::string& name, const std::string& meaning, double& target) {
  add_word(command, name, "GB/S", meaning,
           [&target](const auto& option, const auto& word) { target = 1e9 * parse_positive(option, word, 1e6); });
}

}  // namespace

void add_simulate_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("simulate", "how long one exchange takes, with messages that share links");
  add_planning_options(*command, options);
  const auto flags = std::make_shared<SimulateFlags>();
  auto& parameters = flags->parameters;
  add_rate(*command, "--mpi-copy", "what a rank copies for MPI within its node (default: no limit)",
           parameters.mpi_copy);
  add_rate(*command, "--mpi-injection", "what a rank sends, or receives, over the network (default: no limit)",
           parameters.mpi_injection);
  add_word(*command, "--mpi-latency", "US", "microseconds of software for each message (default 0)",
           [&parameters](const auto& name, const auto& word) {
             parameters.mpi_latency = 1e-6 * parse_positive(name, word, 1e9);
           });
  command->add_flag("--serial-mpi", parameters.mpi_serialises_streams, "a rank's messages by mpi_device go one by one")
      ->disable_flag_override();
  command->add_flag("--serial-copies", parameters.serial_copies, "a device's copies to others go one by one")
      ->disable_flag_override();
  add_word(
      *command, "--study", "NAME", "a table over 1, 2, 4, ... nodes: weak, strong, specialisation, or placement",
      [flags](const auto& name, const auto& word) { flags->study = studies()[parse_choice(name, word, studies())]; });
  // The flags live as long as the command.
  command->callback([&chosen, flags] {
    chosen = [flags](Context& context) {
      return flags->study.empty() ? run_simulate(context, *flags) : run_study(context, *flags);
    };
  });
}

}  // namespace cli
