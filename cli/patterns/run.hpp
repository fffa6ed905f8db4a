// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "context.hpp"
#include "mapping/patterns.hpp"

namespace cli::patterns {

/// One measurement: a pattern among CPUs and one among GPUs, each on its own and both at once.
struct Case {
  std::optional<halocline::mapping::PatternRequest> cpu;
  std::optional<halocline::mapping::PatternRequest> gpu;
};

struct Repeats {
  std::int64_t warm_up = 2;
  std::int64_t repeat = 20;
};

/// Seconds an iteration, of the slowest rank; 0 for what is not there.
struct Times {
  double cpu = 0;
  double gpu = 0;
  double together = 0;
};

/// The patterns as MPI calls over all ranks: nonblocking messages in the stencils, MPI_Alltoall in the groups. Among CPUs
/// from memory of the host; among GPUs from memory of this rank's first device, which MPI is given where it takes that, and
/// else through pinned memory. Collective. Throws CapabilityError where the ranks are not MPI's.
class Runner {
 public:
  explicit Runner(Context& context);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  [[nodiscard]] Times run(const Case& wanted, const Repeats& repeats);
  /// "host devices", "GPUs, given to MPI", "GPUs, through pinned memory"
  [[nodiscard]] std::string devices() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cli::patterns
