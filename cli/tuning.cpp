// SPDX-License-Identifier: BSD-3-Clause
#include "tuning.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "comm/agree.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "table.hpp"
#include "tune/choice.hpp"

namespace cli {

using namespace halocline;

namespace {

/// Rank 0's on all ranks; its folder is made.
std::string file_of_choices(const Context& context) {
  std::string file;
  comm::agree_on(context.world, [&] {
    if (!context.root()) return;
    file = context.options.tune->empty() ? default_tuning_cache() : *context.options.tune;
    if (context.options.tune->empty()) {
      std::error_code reported_by_tune;
      std::filesystem::create_directories(std::filesystem::path(file).parent_path(), reported_by_tune);
    }
  });
  const auto view = std::as_bytes(std::span(file));
  std::vector<std::byte> bytes(view.begin(), view.end());
  context.world.broadcast(bytes, rank_id(0));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Json json_of(const io::Quantiles& q) { return {{"p25_s", q.p25}, {"median_s", q.p50}, {"p75_s", q.p75}}; }

Json json_of(const io::Settings& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings) json[name] = value;
  return json;
}

Json json_of(const io::TunedTrial& trial) {
  return {{"settings", json_of(trial.settings)},
          {"rounds", trial.rounds},
          {"time", json_of(trial.seconds)},
          {"default", json_of(trial.of_default)},
          {"times_as_fast", 1 / tune::ratio_of(trial)},
          {"predicted_s", trial.predicted ? Json(*trial.predicted) : Json(nullptr)}};
}

}  // namespace

void add_tune_options(CLI::App& app, Options& options) {
  app.add_option_function<Words>(
         "--tune", [&options](const Words& words) { options.tune = words.empty() ? std::string() : words.front(); },
         "try transports, messages and grids, use what is fastest, and keep the choice in FILE (default: "
         "halocline/tune.json "
         "in XDG_CACHE_HOME or ~/.cache); under mpirun of Open MPI, which has an option of that name, write "
         "--tune=FILE")
      ->expected(0, 1)
      ->type_name("[FILE]")
      ->group("Decisions");
  add_flag(app, "--retune", "with --tune: try again, even if the file has a choice", options.retune)
      ->group("Decisions");
  add_positive(app, "--tune-budget", "S", "with --tune: seconds for trials (default 2)", options.tune_budget, 3600)
      ->group("Decisions");
}

std::string default_tuning_cache() {
  namespace fs = std::filesystem;
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", ""}, std::pair{"HOME", ".cache"}}) {
    const char* const folder = std::getenv(variable);
    if (folder != nullptr && *folder == '/') return (fs::path(folder) / below / "halocline" / "tune.json").string();
  }
  throw InvalidArgument("--tune has no FILE, and neither XDG_CACHE_HOME nor HOME is a folder; allowed is --tune FILE");
}

void tune_if_asked(const Context& context, Domain& domain) {
  const Options& options = context.options;
  if (!options.tune) return;
  domain.tune(file_of_choices(context),
              std::chrono::duration_cast<Duration>(std::chrono::duration<double>(options.tune_budget)), options.retune);
}

std::string tuned_line(const Domain& domain) { return internals(domain).tuned_text(); }

Json tuned_json(const Domain& domain) {
  const io::TunedEntry* const entry = internals(domain).tuned();
  return entry == nullptr ? Json(nullptr) : tuned_json(*entry);
}

Json tuned_json(const io::TunedEntry& entry) {
  Json json{{"winner", json_of(entry.winner)},
            {"confirmed", entry.confirmed ? json_of(*entry.confirmed) : Json(nullptr)},
            {"machine", {{"digest", entry.key.machine.digest}, {"text", entry.key.machine.text}}},
            {"request", {{"digest", entry.key.request.digest}, {"text", entry.key.request.text}}},
            {"software", {{"digest", entry.key.stack.digest}, {"text", entry.key.stack.text}}},
            {"default_predicted_s", entry.predicted ? Json(*entry.predicted) : Json(nullptr)},
            {"budget_s", entry.budget},
            {"spent_s", entry.spent},
            {"ceilings", Json::object()}};
  for (const auto& [name, value] : entry.ceilings) json["ceilings"][name] = value;
  json["trials"] = Json::array();
  for (const io::TunedTrial& trial : entry.trials) json["trials"].push_back(json_of(trial));
  json["skipped"] = Json::array();
  for (const io::TunedSkip& skip : entry.skipped) json["skipped"].push_back({{"what", skip.what}, {"why", skip.why}});
  return json;
}

std::string tuned_text(const io::TunedEntry& entry) {
  std::string text = fmt::format("{}\non {}, with {}\nchoice: {}", entry.key.request.text, entry.key.machine.text,
                                 entry.key.stack.text, io::text_of(entry.winner));
  text += entry.confirmed
              ? fmt::format(", {:.2f} times as fast as the default in {} fresh rounds ({} and {})\n",
                            1 / tune::ratio_of(*entry.confirmed), entry.confirmed->rounds,
                            seconds_text(entry.confirmed->seconds.p50), seconds_text(entry.confirmed->of_default.p50))
              : ", as nothing was 3 % faster in fresh rounds\n";
  text += fmt::format("trials took {:.1f} s of {} s", entry.spent, entry.budget);
  if (entry.predicted) text += fmt::format("; predicted for the default: {}", seconds_text(*entry.predicted));
  text += "\n\n";
  Table table({"tried", "25 %", "median", "75 %", "faster", "predicted"});
  table.same_units();
  for (const io::TunedTrial& trial : entry.trials) {
    table.row({io::text_of(trial.settings), seconds_cell(trial.seconds.p25), seconds_cell(trial.seconds.p50),
               seconds_cell(trial.seconds.p75), fmt::format("{:.2f} x", 1 / tune::ratio_of(trial)),
               trial.predicted ? seconds_cell(*trial.predicted) : Cell("-")});
  }
  text += table.text();
  for (const io::TunedSkip& skip : entry.skipped) text += fmt::format("not tried: {}: {}\n", skip.what, skip.why);
  for (const auto& [name, value] : entry.ceilings) text += fmt::format("ceiling: {}: {:.3g}\n", name, value);
  return text;
}

}  // namespace cli
