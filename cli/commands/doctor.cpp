// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <tuple>

#include "comm/gather.hpp"
#include "commands/commands.hpp"
#include "discovery/probe.hpp"
#include "doctor/check.hpp"
#include "doctor/report.hpp"
#include "ending.hpp"
#include "halocline/error.hpp"

namespace cli {
namespace doctor {

auto members(halocline::MaybeConst<Finding> auto& finding) {
  return std::tie(finding.status, finding.seen, finding.fix);
}
auto members(halocline::MaybeConst<RankReport> auto& report) {
  return std::tie(report.node, report.node_name, report.findings);
}

}  // namespace doctor

namespace {

using namespace halocline;

/// Wrong arguments, and ranks that cannot be reached, end the command.
doctor::Finding tried(const doctor::Check& check, doctor::Subject& subject) {
  try {
    return check.try_it(subject);
  } catch (const InvalidArgument&) {
    throw;
  } catch (const std::exception& error) {
    if (subject.context.world.poisoned() || subject.node.poisoned()) throw;
    return doctor::broken(error.what(), std::string(check.fix));
  }
}

/// Virtual nodes of one machine get numbers.
void name_nodes(std::vector<doctor::RankReport>& ranks) {
  std::map<std::string, std::map<int, int>> nodes;
  for (const auto& rank : ranks) {
    auto& same_name = nodes[rank.node_name];
    same_name.emplace(rank.node, static_cast<int>(same_name.size()));
  }
  for (auto& rank : ranks) {
    const auto& same_name = nodes.at(rank.node_name);
    if (same_name.size() > 1) rank.node_name += "/" + std::to_string(same_name.at(rank.node));
  }
}

int run_doctor(Context& context) {
  const auto node = context.world.split_by_node(context.options.ranks_per_node);
  doctor::Subject subject{context, *node, context.no_job, {}, {}};
  doctor::RankReport mine;
  // A node is known by its first rank.
  mine.node = static_cast<int>(comm::gather_value(*node, context.world.rank().value()).front());
  mine.node_name = machine::host_name();
  std::vector<std::string> names;
  for (const doctor::Check& check : doctor::all_checks()) {
    names.emplace_back(check.name);
    mine.findings.push_back(tried(check, subject));
  }
  subject.devices.reset();
  auto ranks = comm::gather(context.world, mine);
  node->close();
  name_nodes(ranks);
  const auto lines = doctor::merged(names, ranks);
  context.print_lines(doctor::report_text(lines));
  Json document = document_of("doctor");
  document["ranks"] = ranks.size();
  document["works"] = doctor::all_works(lines);
  document["checks"] = doctor::report_json(lines);
  context.print_document(document);
  return doctor::all_works(lines) ? 0 : exit_failed;
}

}  // namespace

void add_doctor_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand(
      "doctor", "try what this machine and this job offer, and print what to do about what does not work");
  add_machine_options(*command, options);
  add_output_options(*command, options);
  add_examples(*command, {"HALOCLINE_COMM=serial halocline doctor --backend host",
                          "mpirun -n 2 halocline doctor --backend host --json"});
  command->callback([&chosen] { chosen = run_doctor; });
}

}  // namespace cli
