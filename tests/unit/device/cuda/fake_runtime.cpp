// SPDX-License-Identifier: BSD-3-Clause
#include "unit/device/cuda/fake_runtime.hpp"

#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "device/cuda/kernels.hpp"
#include "support/without_memory.hpp"
#include "unit/device/cuda/fake_memory.hpp"

namespace halocline::device::cuda::test {
namespace {

FakeRuntime runtime;

/// What a function returns that a test may let fail.
cudaError_t call(const char* function) {
  const halocline::test::WithoutMemory not_here(false);
  runtime.called.emplace_back(function);
  const auto found = runtime.failing.find(function);
  if (found == runtime.failing.end()) return cudaSuccess;
  runtime.last_error = found->second;
  return found->second;
}

template <typename Handle>
cudaError_t make(Handle* made, std::size_t bytes, const char* function) {
  const cudaError_t status = call(function);
  if (status != cudaSuccess) return status;
  const halocline::test::WithoutMemory not_here(false);
  void* memory = std::calloc(1, std::max<std::size_t>(bytes, 1));
  runtime.live[memory] = function;
  *made = static_cast<Handle>(memory);
  return cudaSuccess;
}

/// Freeing what is not there, or what another function made, is an error as in CUDA.
cudaError_t drop(void* made, const char* function, const char* by, const char* or_by = "") {
  const cudaError_t status = call(function);
  if (status != cudaSuccess || made == nullptr) return status;
  const auto found = runtime.live.find(made);
  if (found == runtime.live.end() || (found->second != by && found->second != or_by))
    return runtime.last_error = cudaErrorInvalidValue;
  runtime.live.erase(found);
  std::free(made);
  return cudaSuccess;
}

// The driver's functions.
CUresult error_text(CUresult, const char** text) {
  *text = "an error of the fake driver";
  return CUDA_SUCCESS;
}
CUresult get_current(CUcontext* context) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult set_current(CUcontext) { return runtime.switching; }
CUresult get_device(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult retain_primary(CUcontext* context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(&runtime);
  return CUDA_SUCCESS;
}

}  // namespace

int FakeRuntime::count(const std::string& function) const {
  return static_cast<int>(std::count(called.begin(), called.end(), function));
}

FakeRuntime& fake_runtime() { return runtime; }
void reset_fake_runtime() {
  for (const auto& [memory, function] : runtime.live) std::free(memory);
  runtime = {};
  fake_memory() = {};
}

}  // namespace halocline::device::cuda::test

using namespace halocline::device::cuda::test;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorUnknown: return "cudaErrorUnknown";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    default: return "another error";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "a description";
}
cudaError_t cudaGetLastError() { return std::exchange(runtime.last_error, cudaSuccess); }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = runtime.device_count == cudaSuccess ? 1 : 0;
  return runtime.last_error = runtime.device_count;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = runtime.driver_version;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = runtime.runtime_version;
  return cudaSuccess;
}
cudaError_t cudaInitDevice(int, unsigned, unsigned) { return call("cudaInitDevice"); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "Fake GPU");
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char*, int, int) { return runtime.last_error = cudaErrorNotSupported; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMemoryPoolsSupported: *value = runtime.has_pools ? 1 : 0; break;
    case cudaDevAttrComputeCapabilityMajor: *value = runtime.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = runtime.minor; break;
    case cudaDevAttrMultiProcessorCount: *value = 4; break;
    default: return cudaErrorNotSupported;
  }
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** address, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  std::map<std::string, void*> functions = {
      {"cuGetErrorString", reinterpret_cast<void*>(&error_text)},
      {"cuGetErrorName", reinterpret_cast<void*>(&error_text)},
      {"cuCtxGetCurrent", reinterpret_cast<void*>(&get_current)},
      {"cuCtxSetCurrent", reinterpret_cast<void*>(&set_current)},
      {"cuDeviceGet", reinterpret_cast<void*>(&get_device)},
      {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(&retain_primary)},
  };
  functions.insert(fake_memory_functions().begin(), fake_memory_functions().end());
  const auto at = functions.find(name);
  *address = at == functions.end() ? nullptr : at->second;
  *found = *address == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) { return make(memory, bytes, "cudaMalloc"); }
cudaError_t cudaFree(void* memory) { return drop(memory, "cudaFree", "cudaMalloc", "cudaMemPoolImportPointer"); }
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  const cudaError_t status = call("cudaIpcGetMemHandle");
  std::memcpy(handle, &memory, sizeof memory);
  return status;
}
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t, unsigned) {
  return make(memory, 1, "cudaIpcOpenMemHandle");
}
cudaError_t cudaIpcCloseMemHandle(void* memory) {
  return drop(memory, "cudaIpcCloseMemHandle", "cudaIpcOpenMemHandle");
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) { return make(memory, bytes, "cudaHostAlloc"); }
cudaError_t cudaFreeHost(void* memory) { return drop(memory, "cudaFreeHost", "cudaHostAlloc"); }
cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  const cudaError_t status = call("cudaMemcpyAsync");
  runtime.stream = stream;
  if (status == cudaSuccess) std::memcpy(target, source, bytes);
  return status;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return make(pool, 1, "cudaMemPoolCreate");
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return drop(pool, "cudaMemPoolDestroy", "cudaMemPoolCreate", "cudaMemPoolImportFromShareableHandle");
}
cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool, cudaMemAllocationHandleType,
                                               unsigned) {
  const cudaError_t status = call("cudaMemPoolExportToShareableHandle");
  if (status == cudaSuccess) *static_cast<int*>(handle) = descriptor_of(reinterpret_cast<std::uintptr_t>(pool));
  return status;
}
cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data, void* memory) {
  const cudaError_t status = call("cudaMemPoolExportPointer");
  std::memcpy(data, &memory, sizeof memory);
  return status;
}
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle, cudaMemAllocationHandleType,
                                                 unsigned) {
  runtime.imported.push_back(number_in(static_cast<int>(reinterpret_cast<std::intptr_t>(handle))));
  return make(pool, 1, "cudaMemPoolImportFromShareableHandle");
}
cudaError_t cudaMemPoolImportPointer(void** memory, cudaMemPool_t pool, cudaMemPoolPtrExportData* data) {
  if (!runtime.live.contains(pool)) return runtime.last_error = cudaErrorInvalidValue;
  std::uint64_t address = 0;
  std::memcpy(&address, data, sizeof address);
  runtime.imported.push_back(address);
  return make(memory, 1, "cudaMemPoolImportPointer");
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, std::size_t) {
  return call("cudaMemPoolSetAccess");
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  const cudaError_t status = call("cudaMemPoolSetAttribute");
  if (status == cudaSuccess) runtime.release_threshold = *static_cast<const std::size_t*>(value);
  return status;
}
cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  if (!runtime.live.contains(pool)) return cudaErrorInvalidValue;
  runtime.stream = stream;
  return make(memory, bytes, "cudaMallocFromPoolAsync");
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  runtime.stream = stream;
  return drop(memory, "cudaFreeAsync", "cudaMallocFromPoolAsync");
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return make(stream, 1, "cudaStreamCreate");
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return drop(stream, "cudaStreamDestroy", "cudaStreamCreate"); }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return call("cudaStreamSynchronize"); }
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return runtime.last_error = runtime.busy.contains(stream) ? cudaErrorNotReady : cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = stream == runtime.captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return make(event, sizeof(cudaStream_t), "cudaEventCreate");
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const cudaError_t status = call("cudaEventRecord");
  std::memcpy(static_cast<void*>(event), &stream, sizeof stream);
  return status;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  cudaStream_t stream = nullptr;
  std::memcpy(&stream, static_cast<const void*>(event), sizeof stream);
  return cudaStreamQuery(stream);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return drop(event, "cudaEventDestroy", "cudaEventCreate"); }

}  // extern "C"

// What the kernels' files define.
namespace halocline::device::cuda {

cudaError_t load_flag_kernels() { return runtime.last_error = runtime.loading; }
cudaError_t load_copy_kernels() { return cudaSuccess; }
cudaError_t load_sum_kernels() { return cudaSuccess; }
cudaError_t load_reduction_kernel() { return cudaSuccess; }
cudaError_t load_fused_kernel() { return cudaSuccess; }
cudaError_t fused_kernel_may_start_early(bool* may) {
  *may = true;
  return cudaSuccess;
}
cudaError_t copy_blocks_at_once(int* blocks) {
  *blocks = 2;
  return cudaSuccess;
}
cudaError_t fused_blocks_at_once(int* blocks) {
  *blocks = 2;
  return cudaSuccess;
}

}  // namespace halocline::device::cuda
