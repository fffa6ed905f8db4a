// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"
#include "patterns/run.hpp"

namespace cli::patterns {

class Runner::Impl {};

Runner::Runner(Context&) {
  throw halocline::CapabilityError(
      "'halocline bench patterns' needs MPI, which is not built into this Halocline: configure it with "
      "HALOCLINE_MPI=ON");
}
Runner::~Runner() = default;
Times Runner::run(const Case&, const Repeats&) { throw halocline::InternalError("a pattern is run without MPI"); }
std::string Runner::devices() const { return {}; }

}  // namespace cli::patterns
