// SPDX-License-Identifier: BSD-3-Clause
#include "common/command_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "cli/outputs.hpp"
#include "comm/agree.hpp"
#include "halocline/error.hpp"

namespace apps {

using namespace cli;
using namespace halocline;

namespace {

constexpr std::int64_t most_steps_between_files = std::int64_t{1} << 40;

/// Collective.
void make_folder(Context& context, const std::string& option, const std::string& path) {
  comm::agree_on(context.world, [&] {
    if (!context.root()) return;
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (!error) return;
    throw InvalidArgument(
        fmt::format("{} is '{}'; allowed is a folder that exists or can be made: {}", option, path, error.message()));
  });
}

/// The next multiple of a number of steps after a step; the last step where there is no such number.
std::int64_t next_due(std::int64_t step, std::int64_t every, std::int64_t last) {
  return every == 0 ? last : std::min(last, (step / every + 1) * every);
}

/// A number of a checkpoint's metadata. Throws InvalidArgument that names the checkpoint.
template <typename Number>
Number number_of(const Restored& restored, const std::string& name, std::string_view allowed) {
  const auto found = restored.metadata.find(name);
  const std::string text = found == restored.metadata.end() ? "" : found->second;
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && error == std::errc{} && end == text.data() + text.size()) return number;
  throw InvalidArgument(
      fmt::format("{} of checkpoint '{}' is '{}'; allowed is {}", name, restored.file, text, allowed));
}

}  // namespace

std::optional<std::string> FileOptions::first_used() const {
  if (output) return "--output";
  if (checkpoint) return "--checkpoint";
  if (restart) return "--restart";
  return std::nullopt;
}

void add_file_options(CLI::App& command, const std::string& app, FileOptions& own) {
  const std::string group = "Files";
  add_text(command, "--output", "DIR", "write images for ParaView to DIR/" + app + ".pvd, after the last step",
           own.output)
      ->group(group);
  add_integer(command, "--output-every", "N", "and after each N steps", own.output_every, 1, most_steps_between_files)
      ->group(group)
      ->needs(command.get_option("--output"));
  add_text(command, "--checkpoint", "DIR", "write a checkpoint to DIR after the last step; the newest two stay",
           own.checkpoint)
      ->group(group);
  add_integer(command, "--checkpoint-every", "N", "and after each N steps", own.checkpoint_every, 1,
              most_steps_between_files)
      ->group(group)
      ->needs(command.get_option("--checkpoint"));
  add_text(command, "--restart", "DIR",
           "continue from the newest checkpoint in DIR, of any number of ranks, to --steps in all", own.restart)
      ->group(group);
}

RunFiles::RunFiles(Context& context, const Domain& domain, const FileOptions& wanted, const Run& run)
    : wanted_(wanted), app_(run.app), steps_(run.steps) {
  if (wanted.output) {
    make_folder(context, "--output", *wanted.output);
    OutputOptions images = run.images;
    images.resume = wanted.restart.has_value();
    output_.emplace(domain, fmt::format("{}/{}.pvd", *wanted.output, app_), images);
  }
  if (wanted.checkpoint) {
    checkpoints_.emplace(domain, *wanted.checkpoint);
    make_folder(context, "--checkpoint", *wanted.checkpoint);
    check_output(context, "file of --checkpoint", *wanted.checkpoint + "/checkpoint");
  }
  if (wanted.restart) restore(domain, *wanted.restart);
}

void RunFiles::restore(const Domain& domain, const std::string& folder) {
  Checkpoints checkpoints(domain, folder);
  auto restored = checkpoints.restore();
  if (!restored) {
    throw InvalidArgument(fmt::format("--restart is '{}'; allowed is a folder with checkpoints", folder));
  }
  restored_ = std::move(*restored);
  first_step_ = number_of<std::int64_t>(restored_, "step", "a whole number");
  if (first_step_ >= steps_) {
    throw InvalidArgument(fmt::format("--steps is {}; allowed is more than {}, the step of checkpoint '{}'", steps_,
                                      first_step_, restored_.file));
  }
}

double RunFiles::restored(const std::string& name) const { return number_of<double>(restored_, name, "a number"); }

std::int64_t RunFiles::next(std::int64_t step) const {
  return std::min(output_ ? next_due(step, wanted_.output_every, steps_) : steps_,
                  checkpoints_ ? next_due(step, wanted_.checkpoint_every, steps_) : steps_);
}

void RunFiles::write(std::int64_t step, double time, bool last, const std::vector<Number>& numbers) {
  const auto due = [&](std::int64_t every) { return last || (every > 0 && step % every == 0); };
  const bool image = output_ && due(wanted_.output_every);
  const bool checkpoint = checkpoints_ && due(wanted_.checkpoint_every);
  if (checkpoint) {
    Metadata metadata{{"app", app_}, {"step", std::to_string(step)}};
    for (const auto& [name, number] : numbers) metadata[name] = fmt::format("{}", number);  // reads back the same bits
    checkpoints_->start(metadata);
  }
  if (image) output_->write(step, time);
  if (checkpoint) checkpoints_->finish();
}

}  // namespace apps
