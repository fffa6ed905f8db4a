// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <string>

// What every call of the CUDA runtime goes through.
namespace halocline::device::cuda {

/// Called before the first call of CUDA; what it sets is read when the driver starts.
void prepare_process();

/// "out of memory (cudaErrorMemoryAllocation)"
[[nodiscard]] std::string describe(cudaError_t status);

/// Throws ResourceError where memory ran out, InternalError for misuse of captures, DeviceError else: "<what>:
/// <reason>". Does not leave the error for others to find with cudaGetLastError().
void check(cudaError_t status, const char* what);
/// Of cudaStreamQuery() and cudaEventQuery(): whether the work is done. Throws like check().
[[nodiscard]] bool is_done(cudaError_t status, const char* what);
/// For destructors: logs. Says nothing where the program is ending and CUDA has gone first.
void log_failure(cudaError_t status, const char* what) noexcept;

/// A device's primary context: what the runtime works in.
using Context = void*;
/// Starts CUDA on the device without making it current; stays for the rest of the process.
[[nodiscard]] Context primary_context(int cuda_ordinal);

/// How device memory was allocated, of which the runtime does not tell.
struct AllocationFacts {
  bool exportable = false;  ///< by a handle of cudaIpcGetMemHandle()
  bool from_pool = false;
};
/// Of an address in device memory. A device is current.
[[nodiscard]] AllocationFacts allocation_facts(const void* address);

/// Makes a device current for the calling thread, and then again what was current before: nothing, a device, or a
/// context of the user's. By contexts rather than cudaSetDevice(), which would start CUDA on a device that was only the
/// default.
class CurrentDevice {
 public:
  explicit CurrentDevice(Context context) noexcept;
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  Context before_ = nullptr;
  bool changed_ = false;
};

/// The calling thread may ask about events and allocate, though some stream is being captured.
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
