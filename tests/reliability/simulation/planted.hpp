// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::simulation {

/// Whether the bug of that number is in: HALOCLINE_PLANTED names one.
[[nodiscard]] bool planted(int number);

}  // namespace halocline::simulation
