// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/context.hpp"
#include "cli/options.hpp"
#include "halocline/files.hpp"
#include "jacobi3d/jacobi3d.hpp"

// The files of `halocline run jacobi3d`: images for ParaView, checkpoints.
namespace apps {

struct FileOptions {
  std::optional<std::string> output;  ///< folder of the images
  std::int64_t output_every = 0;      ///< steps between images; 0: after the last one only
  std::optional<std::string> checkpoint;
  std::int64_t checkpoint_every = 0;
  std::optional<std::string> restart;  ///< folder of the checkpoints to continue from
};

void add_file_options(CLI::App& command, FileOptions& own);

/// A run that stops for files. All functions are collective.
class FilesOfRun {
 public:
  /// Restores the field where a restart is asked for. Makes the folder of the images.
  FilesOfRun(cli::Context& context, const halocline::Domain& domain, const FileOptions& wanted, std::int64_t steps);

  /// Steps that were done before this run.
  [[nodiscard]] std::int64_t first_step() const { return first_step_; }
  /// Calls run(steps) again and again for the steps up to the next file, and writes the files, until all steps are done or
  /// run returns the result of a converged run. Returns the results as one, with all steps.
  [[nodiscard]] jacobi3d::Result run(
      const jacobi3d::Settings& settings, std::int64_t cells,
      const std::function<jacobi3d::Result(const jacobi3d::Settings&, std::int64_t)>& run);

 private:
  void restore(const halocline::Domain& domain, const std::string& folder, std::int64_t steps);
  void write(std::int64_t step, bool last);

  FileOptions wanted_;
  std::int64_t first_step_ = 0;
  std::optional<halocline::Output> output_;
  std::optional<halocline::Checkpoints> checkpoints_;
};

}  // namespace apps
