// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline {

/// Bytes that this process could still allocate: what the kernel reports as available, or less if a control group (a
/// container) allows less. A snapshot: other processes allocate memory, too.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace halocline
