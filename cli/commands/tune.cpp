// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "comm/agree.hpp"
#include "commands/commands.hpp"
#include "halocline/error.hpp"
#include "io/update_file.hpp"
#include "tuning.hpp"

namespace cli {
namespace {

using namespace halocline;

int run_show(Context& context, const std::string& given) {
  std::string file;
  io::TuningCache cache;
  comm::agree_on(context.world, [&] {
    if (!context.root()) return;
    file = given.empty() ? default_tuning_cache() : given;
    const auto text = io::content_if_there("tuning cache", file, io::most_cache_bytes);
    if (!text) refuse("FILE", file, "a file that 'halocline exchange --tune' has written");
    cache = io::tuning_cache_from(*text, file);
  });
  Json document = document_of("tune show");
  document["file"] = file;
  document["choices"] = Json::array();
  std::string text;
  for (const io::TunedEntry& entry : cache.entries) {
    document["choices"].push_back(tuned_json(entry));
    text += (text.empty() ? "" : "\n\n") + tuned_text(entry);
  }
  context.print_document(document);
  context.print_text(text.empty() ? "no choices\n" : text);
  return 0;
}

}  // namespace

void add_tune_command(CLI::App& app, Options& options, Command& chosen) {
  auto* tune = app.add_subcommand("tune", "choices that 'halocline exchange --tune' has kept");
  tune->require_subcommand(1);
  add_examples(*tune, {"halocline help tune show"});
  auto* show = tune->add_subcommand("show", "print the choices of a file, with all that was tried");
  auto file = std::make_shared<std::string>();
  add_text(*show, "FILE", "", "the file (default: that of --tune)", *file);
  add_output_options(*show, options);
  add_examples(*show, {"halocline exchange --devices 4 --size 32 --tune tune.json", "halocline tune show tune.json"});
  show->callback([&chosen, file] { chosen = [file](Context& context) { return run_show(context, *file); }; });
}

}  // namespace cli
