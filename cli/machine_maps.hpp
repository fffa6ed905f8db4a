// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "machine/machine_map.hpp"

namespace cli {

/// The names of the maps that come with Halocline, in alphabetical order; none if they are not next to the program.
[[nodiscard]] std::vector<std::string> machine_names();

/// The map that --machine names: a file, or else one of machine_names(). Throws InvalidArgument where it is
/// neither, and as io::read_machine_file() does.
[[nodiscard]] halocline::machine::MachineMap read_machine(const std::string& file_or_name);

}  // namespace cli
