// SPDX-License-Identifier: BSD-3-Clause
// Exchanges as custom calls of XLA, which runs them in threads of its own: for the CPU a thread for each call, for GPUs one that
// enqueues the program's work in a stream.
#include "xla.hpp"

#include <xla/ffi/api/ffi.h>

#include <string_view>

#include "domain.hpp"

namespace halocline::python {
namespace {

namespace ffi = xla::ffi;

/// The last operand and result, the token, are one buffer (halocline/jax.py).
ffi::Error call(std::string_view key, ffi::RemainingArgs given, ffi::RemainingRets results, bool backwards,
                CUstream_st* stream) {
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
    nb::cast<DomainHandle&>(domain).exchange_dense(nb::cast<std::int64_t>(field.attr("_id")), from, to, backwards,
                                                   reinterpret_cast<std::uintptr_t>(stream));
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

template <bool backwards>
ffi::Error on_host(std::string_view key, ffi::RemainingArgs given, ffi::RemainingRets results) {
  return call(key, given, results, backwards, nullptr);
}
template <bool backwards>
ffi::Error on_gpu(CUstream_st* stream, std::string_view key, ffi::RemainingArgs given, ffi::RemainingRets results) {
  return call(key, given, results, backwards, stream);
}

auto host_call() { return ffi::Ffi::Bind().Attr<std::string_view>("field").RemainingArgs().RemainingRets(); }
auto gpu_call() {
  return ffi::Ffi::Bind()
      .Ctx<ffi::PlatformStream<CUstream_st*>>()
      .Attr<std::string_view>("field")
      .RemainingArgs()
      .RemainingRets();
}

XLA_FFI_DEFINE_HANDLER(host_exchange, on_host<false>, host_call());
XLA_FFI_DEFINE_HANDLER(host_accumulate, on_host<true>, host_call());
XLA_FFI_DEFINE_HANDLER(gpu_exchange, on_gpu<false>, gpu_call());
XLA_FFI_DEFINE_HANDLER(gpu_accumulate, on_gpu<true>, gpu_call());

nb::capsule capsule(XLA_FFI_Handler* handler) { return nb::capsule(reinterpret_cast<void*>(handler)); }

}  // namespace

nb::dict xla_handlers() {
  nb::dict all;
  all["cpu"] = nb::make_tuple(capsule(host_exchange), capsule(host_accumulate));
  if (HALOCLINE_HAS_CUDA) all["CUDA"] = nb::make_tuple(capsule(gpu_exchange), capsule(gpu_accumulate));
  return all;
}

}  // namespace halocline::python
