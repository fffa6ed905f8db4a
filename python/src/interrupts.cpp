// SPDX-License-Identifier: BSD-3-Clause
#include "interrupts.hpp"

#include <nanobind/nanobind.h>
#include <halocline/environment.hpp>
#include <halocline/error.hpp>

#include <atomic>

namespace halocline::python {
namespace nb = nanobind;
namespace {

/// The thread in which Python runs handlers; 0 before they are wanted and after the interpreter's end.
std::atomic<unsigned long> main_thread{0};

}  // namespace

void handle_signals() {
  if (PyThread_get_thread_ident() != main_thread) return;
  const nb::gil_scoped_acquire held;
  // The exception stays set in this thread, where the translator of errors leaves it.
  if (PyErr_Occurred() == nullptr && PyErr_CheckSignals() != 0) throw CommunicationError("interrupted by a signal");
}

void end_waits_on_interrupts() {
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  set_wait_hook(handle_signals);
  // Waits after the interpreter's end, such as in destructors of static objects, have nobody to call.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    set_wait_hook({});
    main_thread = 0;
  }));
}

}  // namespace halocline::python
