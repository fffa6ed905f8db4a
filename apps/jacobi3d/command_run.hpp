// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "common/command_files.hpp"
#include "common/command_trace.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace apps {

/// Calls run(settings) for the steps up to the next file or the begin of the trace, and writes them, until all steps
/// are done or run returns the result of a converged run. Returns the results as one, with all steps. Collective.
[[nodiscard]] jacobi3d::Result run_with_files(halocline::Domain& domain, RunFiles& files, RunTrace& trace,
                                              const jacobi3d::Settings& settings,
                                              const std::function<jacobi3d::Result(const jacobi3d::Settings&)>& run);

}  // namespace apps
