// SPDX-License-Identifier: BSD-3-Clause
#include "interrupts.hpp"

#include <nanobind/nanobind.h>
#include <halocline/environment.hpp>
#include <halocline/error.hpp>

namespace halocline::python {
namespace nb = nanobind;

void end_waits_on_interrupts() {
  const auto main = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  set_wait_hook([main] {
    // Python runs handlers in its main thread only.
    if (PyThread_get_thread_ident() != main) return;
    const nb::gil_scoped_acquire held;
    // The exception stays set in this thread, where the translator of errors leaves it.
    if (PyErr_Occurred() == nullptr && PyErr_CheckSignals() != 0) throw CommunicationError("interrupted by a signal");
  });
  // Waits after the interpreter's end, such as in destructors of static objects, have nobody to call.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { set_wait_hook({}); }));
}

}  // namespace halocline::python
