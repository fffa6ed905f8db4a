// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/flag_waits.cuh"
#include "device/cuda/kernels.hpp"

namespace halocline::device::cuda {
namespace {

__global__ void __launch_bounds__(WaitBatch::most)
    wait_kernel(const std::uint64_t* epoch, const __grid_constant__ WaitBatch waits) {
  if (threadIdx.x >= waits.count || stopped(waits.board)) return;
  (void)wait_for(waits.board, waits.entries[threadIdx.x], acquire(epoch));
}

__global__ void __launch_bounds__(SignalBatch::most)
    signal_kernel(std::uint64_t* epoch, bool advance, const __grid_constant__ SignalBatch signals) {
  __shared__ std::uint64_t value;
  __shared__ bool stop;
  if (threadIdx.x == 0) {
    stop = stopped(signals.board);
    value = acquire(epoch);
    // One writer; atomic, because other streams may read the word for their signals and waits.
    if (advance && !stop) release(epoch, ++value);
  }
  __syncthreads();
  if (stop || threadIdx.x >= signals.count) return;
  cuda::signal(signals.entries[threadIdx.x], value);
}

__global__ void __launch_bounds__(CheckBatch::most) check_kernel(const __grid_constant__ CheckBatch checks) {
  if (threadIdx.x >= checks.count || stopped(checks.board)) return;
  (void)as_expected(checks.board, checks.entries[threadIdx.x]);
}

__global__ void follow_kernel(Board* board, const FailureRecords* records) {
  if (acquire(&records->kernels.published) != 0 || acquire(&records->host.published) != 0) stop_all(board);
}

template <typename... Parameters>
cudaError_t launch(void (*kernel)(Parameters...), unsigned threads, cudaStream_t stream, Parameters... parameters) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(threads), pointers, 0, stream);
}

template <typename Kernel>
cudaError_t load(Kernel kernel) {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
}

/// Whole warps.
unsigned threads_for(std::uint32_t count) { return count <= 32 ? 32 : (count + 31) / 32 * 32; }

}  // namespace

cudaError_t launch_wait(cudaStream_t stream, const std::uint64_t* epoch, const WaitBatch& waits) {
  return launch<const std::uint64_t*, WaitBatch>(wait_kernel, threads_for(waits.count), stream, epoch, waits);
}

cudaError_t launch_signal(cudaStream_t stream, std::uint64_t* epoch, bool advance, const SignalBatch& signals) {
  return launch<std::uint64_t*, bool, SignalBatch>(signal_kernel, threads_for(signals.count), stream, epoch, advance,
                                                   signals);
}

cudaError_t launch_check(cudaStream_t stream, const CheckBatch& checks) {
  return launch<CheckBatch>(check_kernel, threads_for(checks.count), stream, checks);
}

cudaError_t launch_follow(cudaStream_t stream, Board* board, const FailureRecords* records) {
  return launch<Board*, const FailureRecords*>(follow_kernel, 1, stream, board, records);
}

cudaError_t load_flag_kernels() {
  for (const cudaError_t status : {load(wait_kernel), load(signal_kernel), load(check_kernel), load(follow_kernel)}) {
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

}  // namespace halocline::device::cuda
