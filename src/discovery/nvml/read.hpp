// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "discovery/nvml_report.hpp"

namespace halocline::machine::nvml {

/// Starts NVML, asks for all that it sees, and stops it. Throws nothing for what NVML cannot do: NvmlReport::why_not
/// says why there is nothing, and the rest stays unknown.
[[nodiscard]] NvmlReport read(const char* file);

}  // namespace halocline::machine::nvml
