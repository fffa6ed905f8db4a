// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "discovery/nvml_report.hpp"

namespace halocline::machine::nvml {

/// Starts NVML, queries all that it sees, and stops it. Does not throw for anything that NVML cannot do:
/// NvmlReport::why_not contains the reason for an empty report, and values that NVML does not have stay unknown.
[[nodiscard]] NvmlReport read(const char* file);

}  // namespace halocline::machine::nvml
