// SPDX-License-Identifier: BSD-3-Clause
// Each kind of halocline::Error as the class of halocline/errors.py with its name.
#include "errors.hpp"

#include <halocline/error.hpp>

#include <exception>

namespace halocline::python {
namespace {

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument: return "InvalidArgument";
    case ErrorKind::capability: return "CapabilityError";
    case ErrorKind::resource: return "ResourceError";
    case ErrorKind::communication: return "CommunicationError";
    case ErrorKind::device: return "DeviceError";
    case ErrorKind::deadline: return "DeadlineError";
    case ErrorKind::protocol: return "ProtocolError";
    case ErrorKind::internal: return "InternalError";
  }
  return "Error";
}

}  // namespace

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      if (PyErr_Occurred() != nullptr) return;  // the exception of a signal's handler, which ended a wait
      const nb::object type = nb::module_::import_("halocline.errors").attr(class_of(error.kind()));
      PyErr_SetString(type.ptr(), error.what());
    }
  });
}

}  // namespace halocline::python
