// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <memory>

#include "comm/agree.hpp"
#include "commands/commands.hpp"
#include "documents.hpp"
#include "outputs.hpp"
#include "pictures/plan_picture.hpp"
#include "planning.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

int run_place(Context& context, const std::string& picture) {
  if (!picture.empty()) check_output(context, "--picture", picture);
  const Plan plan = plan_of(context);
  if (!picture.empty()) {
    std::string svg;
    comm::agree_on(context.world, [&] {
      if (context.root()) svg = svg_of(plan);
    });
    write_output(context, "--picture", picture, svg);
  }
  const auto& placement = plan.placement;
  Table table({"subdomain", "node", "device", "rank", "ordinal"});
  for (std::size_t s = 0; s < placement.slots.size(); ++s) {
    const auto& slot = placement.slots[s];
    table.row({fmt::format("{}", s), fmt::format("{}", slot.node.value()), fmt::format("{}", slot.device.value()),
               fmt::format("{}", slot.rank.value()), fmt::format("{}", slot.ordinal)});
  }
  table.limit(64);

  Json document = document_of("place");
  document["domain"] = domain_json(context.options);
  document["machine"] = machine_summary(plan.machine);
  document["placement"] = placement_json(plan);
  if (!picture.empty()) document["picture"] = picture;
  context.print_document(document);
  context.print_text(fmt::format("placed {}\n\n{}", placement_text(plan), table.text()));
  return 0;
}

}  // namespace

void add_place_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("place", "3. assign the subdomains to devices");
  add_planning_options(*command, options, Stage::place);
  auto picture = std::make_shared<std::string>();
  add_text(*command, "--picture", "SVG", "draw the subdomains as boxes with their devices", *picture);
  add_examples(*command, {"halocline place --machine summit --nodes 2 --size 1024 1024 512",
                          "halocline place --machine summit --nodes 2 --size 1024 --picture placed.svg"});
  command->callback(
      [&chosen, picture] { chosen = [picture](Context& context) { return run_place(context, *picture); }; });
}

}  // namespace cli
