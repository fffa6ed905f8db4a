// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace halocline::device {

/// Why GPUs whose device files are in `folder` (nvidia0, nvidia1, ...: /dev) are not used by a build without CUDA, and what to do. Empty if
/// there are none. Never throws for a folder that cannot be read.
[[nodiscard]] std::string gpus_without_backend(const std::filesystem::path& folder);

}  // namespace halocline::device
