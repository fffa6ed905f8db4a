// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <memory>

#include "comm/agree.hpp"
#include "commands/commands.hpp"
#include "postmortem/diagnosis.hpp"
#include "postmortem/process.hpp"
#include "postmortem/report.hpp"

namespace cli {
namespace {

using namespace halocline;

struct AttachOptions {
  std::int64_t pid = 0;
};

int run_attach(Context& context, const AttachOptions& wanted) {
  Json document = document_of("attach");
  std::string text;
  comm::agree_on(context.world, [&] {
    if (wanted.pid == 0) refuse_without("'halocline attach'", "PID: a process that runs with HALOCLINE_RECORD=DIR");
    if (!context.root()) return;
    document["pid"] = wanted.pid;
    document["recordings"] = Json::array();
    for (const auto& [path, recording] : postmortem::recordings_of_process(wanted.pid)) {
      const postmortem::Diagnosis diagnosis = postmortem::diagnose({recording});
      text += fmt::format("{}\n  domain {}, {}\n", path, recording.domain,
                          postmortem::state_text(diagnosis.states.front()));
      for (const postmortem::Wait& wait : diagnosis.waits) text += fmt::format("  {}\n", postmortem::wait_text(wait));
      Json one{{"file", path}, {"domain", recording.domain}, {"state", postmortem::json_of(diagnosis.states.front())}};
      one["waits"] = Json::array();
      for (const postmortem::Wait& wait : diagnosis.waits) one["waits"].push_back(postmortem::json_of(wait));
      document["recordings"].push_back(std::move(one));
    }
  });
  context.print_lines(text);
  context.print_document(document);
  return 0;
}

}  // namespace

void add_attach_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand(
      "attach", "make a running process write the recordings of its domains, and print what it waits for");
  auto own = std::make_shared<AttachOptions>();
  add_integer(*command, "PID", "", "a process that runs with HALOCLINE_RECORD=DIR, on this node", own->pid, 1,
              std::int64_t{1} << 31);
  add_output_options(*command, options);
  add_examples(*command,
               {"HALOCLINE_RECORD=d halocline run mhd --steps 9999 & sleep 2 && halocline attach $! && kill $!"});
  command->callback([&chosen, own] { chosen = [own](Context& context) { return run_attach(context, *own); }; });
}

}  // namespace cli
