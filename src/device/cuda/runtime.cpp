// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/runtime.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/log.hpp"
#include "device/cuda/driver.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

void check_driver(CUresult status, const char* what, int ordinal) {
  if (status != CUDA_SUCCESS) {
    throw DeviceError(fmt::format("{} on CUDA device {}: {}", what, ordinal, describe(status)));
  }
}

/// What a thread's current context was, and whether it is another now.
struct Change {
  CUresult status = CUDA_SUCCESS;
  const char* call = "";  ///< of which that is the status
  Context before = nullptr;
  bool changed = false;
};

Change make_current(Context context) noexcept {
  CUcontext before = nullptr;
  if (const CUresult status = driver().get_current(&before); status != CUDA_SUCCESS) return {status, "cuCtxGetCurrent"};
  if (before == context) return {};
  const CUresult status = driver().set_current(static_cast<CUcontext>(context));
  return {status, "cuCtxSetCurrent", before, status == CUDA_SUCCESS};
}

}  // namespace

void prepare_process() {
  // If there are more streams than hardware queues, streams share a queue. A kernel that waits then blocks the work
  // after it in the queue, which may be what it waits for. 32 is the maximum; the default is 8.
  static const bool done = [] { return ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0) == 0; }();
  (void)done;
}

std::string describe(cudaError_t status) {
  return fmt::format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status));
}

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  const std::string text = fmt::format("{}: {}", what, describe(status));
  if (status == cudaErrorMemoryAllocation) throw ResourceError(text);
  if (status >= cudaErrorStreamCaptureUnsupported && status <= cudaErrorStreamCaptureWrongThread) {
    throw InternalError(text);
  }
  throw DeviceError(text);
}

bool is_done(cudaError_t status, const char* what) {
  if (status == cudaErrorNotReady) {
    (void)cudaGetLastError();
    return false;
  }
  check(status, what);
  return true;
}

void log_failure(cudaError_t status, const char* what) noexcept {
  if (status == cudaSuccess || status == cudaErrorCudartUnloading) return;
  (void)cudaGetLastError();
  try {
    log(LogLevel::warning, fmt::format("{}: {}", what, describe(status)));
  } catch (...) {
    log(LogLevel::warning, what);
  }
}

Context primary_context(int cuda_ordinal) {
  check(cudaInitDevice(cuda_ordinal, 0, 0), "cudaInitDevice");
  CUdevice device = 0;
  check_driver(driver().get_device(&device, cuda_ordinal), "cuDeviceGet", cuda_ordinal);
  CUcontext context = nullptr;
  check_driver(driver().retain_primary(&context, device), "cuDevicePrimaryCtxRetain", cuda_ordinal);
  return context;
}

AllocationFacts allocation_facts(const void* address) {
  int exportable = 0;
  CUmemoryPool pool = nullptr;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE};
  void* answers[] = {&exportable, &pool};
  const auto at = reinterpret_cast<CUdeviceptr>(address);
  const CUresult status = driver().pointer_attributes(2, asked, answers, at);
  if (status != CUDA_SUCCESS) {
    throw DeviceError("cuPointerGetAttributes: " + describe(status));
  }
  return {exportable != 0, pool};
}

bool CurrentDevice::is(Context context) noexcept {
  CUcontext current = nullptr;
  return driver().get_current(&current) == CUDA_SUCCESS && current == context;
}

CurrentDevice::CurrentDevice(Context context) {
  const Change change = make_current(context);
  require(change.status, change.call);
  before_ = change.before;
  changed_ = change.changed;
}

CurrentDevice::CurrentDevice(Context context, const std::nothrow_t& /*unused*/) noexcept {
  const Change change = make_current(context);
  before_ = change.before;
  changed_ = change.changed;
}

CurrentDevice::~CurrentDevice() {
  if (changed_) log_driver_failure(driver().set_current(static_cast<CUcontext>(before_)), "cuCtxSetCurrent");
}

}  // namespace halocline::device::cuda
