// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::simulation {

/// The machine's own futex, which the simulator's threads take turns by.
void machine_futex(std::uint32_t* word, int operation, std::uint32_t value);

}  // namespace halocline::simulation
