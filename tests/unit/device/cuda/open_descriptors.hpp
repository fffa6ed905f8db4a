// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <iterator>

namespace halocline::device::cuda::test {

/// How many descriptors this process has, the one for counting included.
[[nodiscard]] inline std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

}  // namespace halocline::device::cuda::test
