// SPDX-License-Identifier: BSD-3-Clause
#include "jacobi3d/command_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "comm/agree.hpp"
#include "halocline/error.hpp"

namespace apps {

using namespace cli;
using namespace halocline;

namespace {

constexpr std::int64_t most_steps_between_files = std::int64_t{1} << 40;

void make_folder(Context& context, const std::string& path) {
  comm::agree_on(context.world, [&] {
    if (!context.root()) return;
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (!error) return;
    throw InvalidArgument(
        fmt::format("--output is '{}'; allowed is a folder that exists or can be made: {}", path, error.message()));
  });
}

/// The next multiple of a number of steps after a step; the last step where there is no such number.
std::int64_t next_due(std::int64_t step, std::int64_t every, std::int64_t last) {
  return every == 0 ? last : std::min(last, (step / every + 1) * every);
}

void add_timings(jacobi3d::Timings& all, const jacobi3d::Timings& part, bool first) {
  all.total += part.total;
  if (first) {
    all.parts = part.parts;
  } else if (all.parts && part.parts) {
    all.parts->compute += part.parts->compute;
    all.parts->exchange += part.parts->exchange;
  } else {
    all.parts.reset();
  }
}

}  // namespace

void add_file_options(CLI::App& command, FileOptions& own) {
  const std::string group = "Files";
  add_text(command, "--output", "DIR", "write images for ParaView to DIR/jacobi3d.pvd, after the last step", own.output)
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

FilesOfRun::FilesOfRun(Context& context, const Domain& domain, const FileOptions& wanted, std::int64_t steps)
    : wanted_(wanted) {
  if (wanted.output) {
    make_folder(context, *wanted.output);
    output_.emplace(domain, *wanted.output + "/jacobi3d.pvd", OutputOptions{.resume = wanted.restart.has_value()});
  }
  if (wanted.checkpoint) checkpoints_.emplace(domain, *wanted.checkpoint);
  if (wanted.restart) restore(domain, *wanted.restart, steps);
}

void FilesOfRun::restore(const Domain& domain, const std::string& folder, std::int64_t steps) {
  Checkpoints checkpoints(domain, folder);
  const auto restored = checkpoints.restore();
  if (!restored) {
    throw InvalidArgument(fmt::format("--restart is '{}'; allowed is a folder with checkpoints", folder));
  }
  const auto found = restored->metadata.find("step");
  const std::string text = found == restored->metadata.end() ? "" : found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first_step_);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    throw InvalidArgument(
        fmt::format("step of checkpoint '{}' is '{}'; allowed is a whole number", restored->file, text));
  }
  if (first_step_ >= steps) {
    throw InvalidArgument(fmt::format("--steps is {}; allowed is more than {}, the step of checkpoint '{}'", steps,
                                      first_step_, restored->file));
  }
}

void FilesOfRun::write(std::int64_t step, bool last) {
  const auto due = [&](std::int64_t every) { return last || (every > 0 && step % every == 0); };
  const bool image = output_ && due(wanted_.output_every);
  const bool checkpoint = checkpoints_ && due(wanted_.checkpoint_every);
  if (checkpoint) checkpoints_->start({{"app", "jacobi3d"}, {"step", std::to_string(step)}});
  if (image) output_->write(step, static_cast<double>(step));
  if (checkpoint) checkpoints_->finish();
}

jacobi3d::Result FilesOfRun::run(const jacobi3d::Settings& settings, std::int64_t cells,
                                 const std::function<jacobi3d::Result(const jacobi3d::Settings&, std::int64_t)>& run) {
  jacobi3d::Settings part = settings;
  jacobi3d::Result all;
  for (std::int64_t step = first_step_; step < settings.steps && !all.converged;) {
    const std::int64_t image = output_ ? next_due(step, wanted_.output_every, settings.steps) : settings.steps;
    const std::int64_t checkpoint =
        checkpoints_ ? next_due(step, wanted_.checkpoint_every, settings.steps) : settings.steps;
    part.steps = std::min(image, checkpoint) - step;
    const jacobi3d::Result result = run(part, step);
    part.halos = result.halos;  // those that were found to be the fastest
    jacobi3d::Timings timings = all.timings;
    add_timings(timings, result.timings, step == first_step_);
    step += result.steps;
    all = result;
    all.steps = step;
    all.timings = timings;
    write(step, all.converged || step == settings.steps);
  }
  const double took = std::chrono::duration<double>(all.timings.total).count();
  all.updates_per_second = static_cast<double>(cells) * static_cast<double>(all.steps - first_step_) / took;
  return all;
}

}  // namespace apps
