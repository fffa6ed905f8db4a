// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::python {

/// For the whole process: while the main thread waits in the library, the handlers of signals run, and what they raise, such as
/// KeyboardInterrupt, ends the wait.
void end_waits_on_interrupts();

}  // namespace halocline::python
