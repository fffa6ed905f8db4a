// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/verdict.hpp"

namespace halocline::exchange {

/// Whether this process can use UCX, or why not. The first call loads it: a process that never asks has none of its signal handlers
/// and hooks.
[[nodiscard]] const Verdict& ucx_usable();

}  // namespace halocline::exchange
