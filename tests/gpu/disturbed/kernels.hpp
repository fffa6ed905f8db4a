// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::test {

/// Enqueues a kernel that traps. native: the stream, of the current device. Everything in the device's context fails from then on.
void trap(void* native);

}  // namespace halocline::test
