// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "common/command_files.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace apps {

/// Calls run(settings, steps before) for the steps up to the next file, and writes the files, until all steps are done or run
/// returns the result of a converged run. Returns the results as one, with all steps; cells: of the domain. Collective.
[[nodiscard]] jacobi3d::Result run_with_files(
    RunFiles& files, const jacobi3d::Settings& settings, std::int64_t cells,
    const std::function<jacobi3d::Result(const jacobi3d::Settings&, std::int64_t)>& run);

}  // namespace apps
