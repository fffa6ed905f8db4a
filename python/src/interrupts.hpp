// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::python {

/// For the whole process: while the main thread waits in the library, the handlers of signals run, and what they raise, such as
/// KeyboardInterrupt, ends the wait.
void end_waits_on_interrupts();

/// The hook of waits that does so: throws CommunicationError if a handler raised. For other copies of the library in this process.
void handle_signals();

}  // namespace halocline::python
