// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "machine/machine_map.hpp"

namespace cli {

/// One line for people: "fat tree: 18 nodes a switch, 450 GB/s up, 0.30 us".
[[nodiscard]] std::string fabric_text(const halocline::machine::Fabric& fabric);
/// "25.0 GB/s"
[[nodiscard]] std::string rate_text(double bytes_per_second);

}  // namespace cli
