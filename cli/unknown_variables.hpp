// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace cli {

/// A sentence for each variable of an environment whose name begins as Halocline's do and that nothing reads, with the name
/// that may be meant. entries: "NAME=value".
[[nodiscard]] std::vector<std::string> unknown_variables(const std::vector<std::string>& entries);
/// The same for this process's environment.
[[nodiscard]] std::vector<std::string> unknown_variables();

}  // namespace cli
