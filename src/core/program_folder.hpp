// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace halocline {

/// The folder of the running program; empty if the system does not report it. Files that are built and installed with
/// the program are found relative to it, even if both were moved. link: the system's link to the program.
[[nodiscard]] std::filesystem::path program_folder(const char* link = "/proc/self/exe");

}  // namespace halocline
