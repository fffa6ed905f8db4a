// SPDX-License-Identifier: BSD-3-Clause
#include "postmortem/diagnosis.hpp"

#include <memory>

#include "comm/agree.hpp"
#include "commands/commands.hpp"
#include "postmortem/folder.hpp"
#include "postmortem/report.hpp"

namespace cli {
namespace {

using namespace halocline;

int run_postmortem(Context& context, const std::string& folder) {
  Json document = document_of("postmortem");
  std::string text;
  comm::agree_on(context.world, [&] {
    if (folder.empty())
      refuse_without("'halocline postmortem'", "DIR: a folder of recordings, as HALOCLINE_RECORD=DIR names it");
    if (!context.root()) return;
    document["folder"] = folder;
    document["domains"] = Json::array();
    for (const auto& [domain, recordings] : postmortem::recordings_in(folder)) {
      const postmortem::Diagnosis diagnosis = postmortem::diagnose(recordings);
      document["domains"].push_back(postmortem::report_json(diagnosis));
      text += postmortem::report_text(diagnosis);
    }
  });
  context.print_lines(text);
  context.print_document(document);
  return 0;
}

}  // namespace

void add_postmortem_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand(
      "postmortem", "name the rank that a failed or hanging job waited for, from the recordings of its ranks");
  auto folder = std::make_shared<std::string>();
  add_text(*command, "DIR", "", "a folder of recordings: HALOCLINE_RECORD of the job", *folder);
  add_output_options(*command, options);
  add_examples(*command, {"halocline postmortem d"});
  command->callback(
      [&chosen, folder] { chosen = [folder](Context& context) { return run_postmortem(context, *folder); }; });
}

}  // namespace cli
