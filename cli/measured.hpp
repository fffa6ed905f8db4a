// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "measure/measure.hpp"

/// What was measured, as tables for people.
namespace cli {

/// By type of node: pairs of devices by method, and devices with the host's memory, measured and nominal; empty
/// where nothing is measured. GB/s: 1e9 bytes a second; us: microseconds.
[[nodiscard]] std::string measured_tables(const halocline::machine::MachineMap& map);

/// One line for each rate that is more than 20 % below the nominal one, the slowest first; at most `most`, and then how many more.
[[nodiscard]] std::vector<std::string> warnings_of(const halocline::machine::MachineMap& map, std::size_t most);

/// One line for each method and reason.
[[nodiscard]] std::string left_out_text(std::span<const halocline::machine::LeftOut> left_out);

}  // namespace cli
