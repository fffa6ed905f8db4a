// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/context.hpp"
#include "cli/trace.hpp"
#include "halocline/domain.hpp"

// `--trace` of an application's run.
namespace apps {

/// Recorded at the end of a run.
inline constexpr std::int64_t traced_exchanges = 3;

/// Refuses --trace together with another option, if both were given.
void refuse_traced(const cli::Options& options, bool given, const char* option);

/// Records the last steps of a run if --trace was given. All functions are collective.
class RunTrace {
 public:
  /// Refuses a path that cannot be written, before anything is done.
  explicit RunTrace(cli::Context& context);

  /// first, last: the steps that are done before the run, and after it; steps: recorded of them, at most.
  void set_steps(std::int64_t first, std::int64_t last, std::int64_t steps);
  /// The step after `step` at which at() has something to do; the last one if there is none before.
  [[nodiscard]] std::int64_t next(std::int64_t step) const;
  /// After a step, and before the first one: waits for the domain's work, and begins to record or writes the file if it is time to.
  void at(std::int64_t step, halocline::Domain& domain);
  /// Adds to the results what was recorded.
  void report(const cli::Context& context, cli::Json& document) const;

 private:
  std::string path_;
  std::optional<cli::TraceFile> file_;
  std::int64_t begin_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace apps
