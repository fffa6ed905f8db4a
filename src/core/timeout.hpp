// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/environment.hpp"

namespace halocline {

/// Returns it. Throws InvalidArgument unless it is above 0 and at most 1e9 s (31 years), which a clock's time can be added to.
[[nodiscard]] Duration checked_timeout(Duration timeout);

}  // namespace halocline
