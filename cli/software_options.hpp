// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "options.hpp"
#include "simulation.hpp"

namespace cli {

/// What 'simulate' and 'predict' take about the software of ranks instead of the map's values. The flags must live as long as the command.
void add_software_options(CLI::App& command, const std::shared_ptr<SimulateFlags>& flags);

}  // namespace cli
