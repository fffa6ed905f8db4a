// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <string>

// Checks and helpers for all calls of the CUDA runtime.
namespace halocline::device::cuda {

/// Must be called before the first CUDA call: the driver reads what it sets when it starts.
void prepare_process();

/// "out of memory (cudaErrorMemoryAllocation)"
[[nodiscard]] std::string describe(cudaError_t status);

/// Throws ResourceError if memory ran out, InternalError for misuse of captures, and DeviceError otherwise: "<what>:
/// <reason>". Clears the error, so that a later cudaGetLastError() does not return it.
void check(cudaError_t status, const char* what);
/// Of cudaStreamQuery() and cudaEventQuery(): whether the work is done. Throws like check().
[[nodiscard]] bool is_done(cudaError_t status, const char* what);
/// For destructors: logs the error. Logs nothing if the program is ending and CUDA has been unloaded already.
void log_failure(cudaError_t status, const char* what) noexcept;

/// A device's primary context: what the runtime works in.
using Context = void*;
/// Starts CUDA on the device without making it current; the context stays for the rest of the process.
[[nodiscard]] Context primary_context(int cuda_ordinal);

/// How device memory was allocated, which the runtime does not report.
struct AllocationFacts {
  bool exportable = false;       ///< by a handle of cudaIpcGetMemHandle()
  cudaMemPool_t pool = nullptr;  ///< of which it is; null for none
};
/// Returns that for an address in device memory. A device must be current.
[[nodiscard]] AllocationFacts allocation_facts(const void* address);

/// Makes a device current for the calling thread, and in its destructor restores what was current before: nothing, a
/// device, or a context of the user's. Uses contexts rather than cudaSetDevice(), which would start CUDA on a device
/// that was only the default.
class CurrentDevice {
 public:
  /// Throws DriverError if the driver does not make it current.
  explicit CurrentDevice(Context context);
  /// For destructors, and where a failure is known already: if it cannot be made current, what was current stays.
  CurrentDevice(Context context, const std::nothrow_t&) noexcept;
  /// Whether it is current already.
  [[nodiscard]] static bool is(Context context) noexcept;
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  Context before_ = nullptr;
  bool changed_ = false;
};

/// While this exists, the calling thread may query events and allocate memory although some stream is being captured.
class CaptureAside {
 public:
  CaptureAside() noexcept { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~CaptureAside() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  CaptureAside(const CaptureAside&) = delete;
  CaptureAside& operator=(const CaptureAside&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace halocline::device::cuda
