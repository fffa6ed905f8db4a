// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/context.hpp"

namespace apps {

/// An application of `halocline run`. The files of an application that implement it are named command*; only they
/// use the tool's options, tables and documents (cli/).
class App {
 public:
  App() = default;
  App(const App&) = delete;
  App& operator=(const App&) = delete;
  virtual ~App() = default;

  /// Its name as a command, and one line about it.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string description() const = 0;
  /// Command lines for its help; they run as they are, in seconds.
  [[nodiscard]] virtual std::vector<std::string> examples() const = 0;
  /// Adds its options to those that all applications have: the size, the machine at hand, --machine and --json. Options of
  /// its own write into this object.
  virtual void add_options(CLI::App& command, cli::Options& options) = 0;
  /// Runs on all ranks, once, after the options were parsed. Returns the exit code: 1 where a check failed.
  virtual int run(cli::Context& context) = 0;
};

/// All applications, in the order of `halocline run --help`.
[[nodiscard]] std::vector<std::unique_ptr<App>> all_apps();

}  // namespace apps
