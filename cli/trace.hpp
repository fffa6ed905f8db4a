// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "context.hpp"
#include "halocline/domain.hpp"

namespace cli {

/// Records operations of exchanges (`--trace`), and writes them as a trace that Perfetto and chrome://tracing open: JSON of the
/// Trace Event Format, a process for each rank, a thread for each stream and for each transfer by MPI. The domain was realized
/// with InternalOptions::trace.
class TraceFile {
 public:
  /// Collective. Refuses a path that cannot be written, before anything is done.
  TraceFile(Context& context, std::string path);

  /// Collective: compares the clocks, and records from then on.
  void start(halocline::Domain& domain);
  /// Collective: waits for the domain's work, and writes what was recorded since.
  void write(halocline::Domain& domain);

 private:
  Context* context_;
  std::string path_;
  halocline::Duration met_{};          ///< time of this rank's clock when all ranks had met
  halocline::Duration uncertainty_{};  ///< of that moment
};

}  // namespace cli
