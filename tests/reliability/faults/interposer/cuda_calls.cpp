// SPDX-License-Identifier: BSD-3-Clause
// Defines each function of cuda_calls.inc in front of CUDA's.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <utility>

#include "plan.hpp"

namespace {

/// What a failed call leaves for cudaGetLastError().
thread_local cudaError_t last = cudaSuccess;

template <typename Which, typename Function = decltype(Which::next)>
struct InFront;
template <typename Which, typename... Parameters>
struct InFront<Which, CUresult(CUDAAPI*)(Parameters...)> {
  static CUresult CUDAAPI call(Parameters... parameters) {
    return faults::fails(Which::point) ? Which::error : Which::next(parameters...);
  }
};

}  // namespace

#define CUDA_FAULT(name, parameters, arguments, error)                              \
  extern "C" [[gnu::visibility("default")]] cudaError_t CUDARTAPI name parameters { \
    static constinit faults::Point point{#name};                                    \
    if (faults::fails(point)) return last = error;                                  \
    return reinterpret_cast<decltype(&name)>(faults::next_of(point)) arguments;     \
  }
#define DRIVER_FAULT(name, code)                            \
  namespace {                                               \
  struct name##_point {                                     \
    static constinit inline faults::Point point{#name};     \
    static constinit inline decltype(&name) next = nullptr; \
    static constexpr CUresult error = code;                 \
  };                                                        \
  }
#include "cuda_calls.inc"
#undef CUDA_FAULT
#undef DRIVER_FAULT

extern "C" [[gnu::visibility("default")]] cudaError_t CUDARTAPI cudaGetLastError() {
  static constinit faults::Point point{"cudaGetLastError"};
  const cudaError_t known = reinterpret_cast<decltype(&cudaGetLastError)>(faults::next_of(point))();
  const cudaError_t injected = std::exchange(last, cudaSuccess);
  return injected != cudaSuccess ? injected : known;
}

/// Puts this library's function in the place of the driver's.
extern "C" [[gnu::visibility("default")]] cudaError_t CUDARTAPI
cudaGetDriverEntryPointByVersion(const char* name, void** found, unsigned int version, unsigned long long flags,
                                 cudaDriverEntryPointQueryResult* status) {
  static constinit faults::Point point{"cudaGetDriverEntryPointByVersion"};
  if (faults::fails(point)) return last = cudaErrorUnknown;
  const cudaError_t code = reinterpret_cast<decltype(&cudaGetDriverEntryPointByVersion)>(faults::next_of(point))(
      name, found, version, flags, status);
  if (code != cudaSuccess || *found == nullptr) return code;
#define CUDA_FAULT(name, parameters, arguments, error)
#define DRIVER_FAULT(function, error)                                       \
  if (std::strcmp(name, #function) == 0) {                                  \
    function##_point::next = reinterpret_cast<decltype(&function)>(*found); \
    *found = reinterpret_cast<void*>(&InFront<function##_point>::call);     \
    return code;                                                            \
  }
#include "cuda_calls.inc"
  return code;
}
