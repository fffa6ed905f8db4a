// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace halocline::bench {

/// Bytes in use on each device that is visible, by whichever process. Throws DeviceError.
[[nodiscard]] std::vector<double> bytes_in_use();

}  // namespace halocline::bench
