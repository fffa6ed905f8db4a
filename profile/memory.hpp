// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::profile {

/// Where a buffer lies.
enum class Place : int { cpu, gpu };

/// GPU where the CUDA driver that the program has loaded reports device memory, or where the program declared it by the hook
/// below; else CPU. Loads nothing. Thread-safe.
[[nodiscard]] Place place_of(const void* buffer) noexcept;

}  // namespace halocline::profile
