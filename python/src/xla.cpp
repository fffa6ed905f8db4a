// SPDX-License-Identifier: BSD-3-Clause
// Exchanges as custom calls of XLA, which runs them in its own threads, one for each call.
#include "xla.hpp"

#include <xla/ffi/api/ffi.h>

#include <string_view>

#include "domain.hpp"

namespace halocline::python {
namespace {

namespace ffi = xla::ffi;

ffi::Error call(std::string_view key, ffi::RemainingArgs given, ffi::RemainingRets results, bool backwards) {
  const nb::gil_scoped_acquire held;
  try {
    std::vector<const std::byte*> from;
    std::vector<std::byte*> to;
    const std::size_t blocks = given.size() - 1;
    if (results.size() != given.size()) return ffi::Error::InvalidArgument("as many results as operands are needed");
    for (std::size_t i = 0; i < blocks; ++i) {
      from.push_back(static_cast<const std::byte*>(given.get<ffi::AnyBuffer>(i)->untyped_data()));
      to.push_back(static_cast<std::byte*>((*results.get<ffi::AnyBuffer>(i))->untyped_data()));
    }
    // Of Python's objects, which live until the call has returned.
    const nb::object field = nb::module_::import_("halocline._dense").attr("field_of")(nb::str(key.data(), key.size()));
    const nb::object domain = field.attr("_domain").attr("_core");
    nb::cast<DomainHandle&>(domain).exchange_dense(nb::cast<std::int64_t>(field.attr("_id")), from, to, backwards);
    *(*results.get<ffi::Buffer<ffi::F32>>(blocks))->typed_data() = 0;
    return ffi::Error::Success();
  } catch (const std::exception& error) {
    const std::string what = error.what();
    if (PyErr_Occurred() != nullptr) {
      // Interrupted in the main thread: the handler of the signal runs again when XLA has returned.
      const bool interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
      PyErr_Clear();
      if (interrupted) PyErr_SetInterrupt();
    }
    return ffi::Error::Internal("halocline: " + what);
  }
}

ffi::Error exchange(std::string_view key, ffi::RemainingArgs given, ffi::RemainingRets results) {
  return call(key, given, results, false);
}
ffi::Error accumulate(std::string_view key, ffi::RemainingArgs given, ffi::RemainingRets results) {
  return call(key, given, results, true);
}

XLA_FFI_DEFINE_HANDLER(exchange_handler, exchange,
                       ffi::Ffi::Bind().Attr<std::string_view>("field").RemainingArgs().RemainingRets());
XLA_FFI_DEFINE_HANDLER(accumulate_handler, accumulate,
                       ffi::Ffi::Bind().Attr<std::string_view>("field").RemainingArgs().RemainingRets());

}  // namespace

nb::dict xla_handlers() {
  nb::dict all;
  all["halocline_exchange"] = nb::capsule(reinterpret_cast<void*>(exchange_handler));
  all["halocline_accumulate"] = nb::capsule(reinterpret_cast<void*>(accumulate_handler));
  return all;
}

}  // namespace halocline::python
