// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace halocline {

/// Where the program lies that is running; empty where the system does not say. What is built and installed with it is found
/// from there, wherever both were moved. link: the system's link to the program.
[[nodiscard]] std::filesystem::path program_folder(const char* link = "/proc/self/exe");

}  // namespace halocline
