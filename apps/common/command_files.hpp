// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.hpp"
#include "cli/options.hpp"
#include "halocline/files.hpp"

// The files of an application's run: images for ParaView, checkpoints.
namespace apps {

struct FileOptions {
  std::optional<std::string> output;  ///< folder of the images
  std::int64_t output_every = 0;      ///< steps between images; 0: after the last one only
  std::optional<std::string> checkpoint;
  std::int64_t checkpoint_every = 0;
  std::optional<std::string> restart;  ///< folder of the checkpoints to continue from

  /// The first of its options that is set, such as "--output"; nothing if none is.
  [[nodiscard]] std::optional<std::string> first_used() const;
};

/// app: names the images.
void add_file_options(CLI::App& command, const std::string& app, FileOptions& own);

/// Writes the files of a run, and restores the checkpoint that it continues. All functions are collective, errors are the same
/// on all ranks.
class RunFiles {
 public:
  /// A number that a run keeps with its checkpoints.
  using Number = std::pair<std::string, double>;
  struct Run {
    std::string app;
    std::int64_t steps = 0;             ///< in all
    halocline::OutputOptions images{};  ///< resume is set here
  };
  /// Makes the folders of images and checkpoints, and restores the fields if a restart is asked for. Throws InvalidArgument where
  /// a folder cannot be made or written to, before any step.
  RunFiles(cli::Context& context, const halocline::Domain& domain, const FileOptions& wanted, const Run& run);

  /// Steps that were done before this run.
  [[nodiscard]] std::int64_t first_step() const { return first_step_; }
  /// A number of the restored checkpoint. Throws InvalidArgument that names the checkpoint if it has none of that name.
  [[nodiscard]] double restored(const std::string& name) const;
  /// The step after `step` at which the next files are due; the last step of the run at the latest.
  [[nodiscard]] std::int64_t next(std::int64_t step) const;
  /// Writes the files that are due after a step. last: also those that are due after the last one.
  void write(std::int64_t step, double time, bool last, const std::vector<Number>& numbers = {});

 private:
  void restore(const halocline::Domain& domain, const std::string& folder);

  FileOptions wanted_;
  std::string app_;
  std::int64_t steps_;
  std::int64_t first_step_ = 0;
  halocline::Restored restored_;
  std::optional<halocline::Output> output_;
  std::optional<halocline::Checkpoints> checkpoints_;
};

}  // namespace apps
