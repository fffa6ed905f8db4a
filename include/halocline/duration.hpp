// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace halocline {

using Duration = std::chrono::nanoseconds;

}  // namespace halocline
