// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::device {

/// Tells this process from all others of this machine, earlier ones and forked ones included.
[[nodiscard]] std::uint64_t process_identity();

}  // namespace halocline::device
