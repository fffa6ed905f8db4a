// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>

#include <algorithm>
#include <cuda/atomic>

#include "measure/detail/cuda_support.cuh"
#include "measure/detail/kernels.hpp"

namespace halocline::machine::measuring::cuda {
namespace {

constexpr int threads = 512;
/// Loads that a thread has under way: a link's latency is hidden by bytes in flight.
constexpr int in_flight = 4;

__global__ void __launch_bounds__(threads) copy_lanes(uint4* target, const uint4* source, std::size_t lanes) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t lane = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; lane + (in_flight - 1) * stride < lanes; lane += in_flight * stride) {
    uint4 value[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) value[i] = source[lane + i * stride];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) target[lane + i * stride] = value[i];
  }
  for (; lane < lanes; lane += stride) target[lane] = source[lane];
}

__global__ void copy_words(std::uint64_t* target, const std::uint64_t* source, std::size_t words) {
  for (std::size_t i = threadIdx.x; i < words; i += blockDim.x) target[i] = source[i];
}

using Word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>;

__device__ std::uint64_t device_time() {
  std::uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

/// Whether the word got to a value within the limit.
__device__ bool await_word(std::uint64_t* word, std::uint64_t value, std::uint64_t limit) {
  const std::uint64_t begun = device_time();
  for (int polls = 1; Word(*word).load(::cuda::std::memory_order_acquire) < value; ++polls) {
    if (polls % 1024 == 0 && device_time() - begun > limit) return false;
  }
  return true;
}

__global__ void play(std::uint64_t* own, std::uint64_t* other, bool first, int rounds, std::uint64_t limit,
                     std::uint64_t* nanoseconds) {
  // The first round also waits until the other kernel runs, so it is not counted.
  std::uint64_t begun = 0;
  for (int round = 1; round <= rounds; ++round) {
    const auto value = static_cast<std::uint64_t>(round);
    if (first) Word(*other).store(value, ::cuda::std::memory_order_release);
    if (!await_word(own, value, limit)) return;
    if (!first) Word(*other).store(value, ::cuda::std::memory_order_release);
    if (round == 1) begun = device_time();
  }
  if (first) *nanoseconds = device_time() - begun;
}

/// Ends after the limit too, without an error.
__global__ void hold(std::uint64_t* word, std::uint64_t limit) { static_cast<void>(await_word(word, 1, limit)); }

bool aligned(const void* pointer, std::size_t to) { return reinterpret_cast<std::uintptr_t>(pointer) % to == 0; }

}  // namespace

cudaError_t launch_copy(std::byte* target, const std::byte* source, std::size_t bytes, cudaStream_t stream) {
  const std::size_t unit = bytes % sizeof(uint4) == 0 ? sizeof(uint4) : sizeof(std::uint64_t);
  if (bytes % unit != 0 || !aligned(target, unit) || !aligned(source, unit)) return cudaErrorMisalignedAddress;
  const std::size_t units = bytes / unit;
  if (unit == sizeof(std::uint64_t)) {
    copy_words<<<1, 32, 0, stream>>>(reinterpret_cast<std::uint64_t*>(target),
                                     reinterpret_cast<const std::uint64_t*>(source), units);
    return cudaGetLastError();
  }
  int number = 0;
  int processors = 0;
  cudaError_t code = cudaGetDevice(&number);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, number);
  if (code != cudaSuccess) return code;
  const std::size_t enough = (units + threads - 1) / threads;
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>(enough, static_cast<std::size_t>(processors)));
  copy_lanes<<<blocks, threads, 0, stream>>>(reinterpret_cast<uint4*>(target), reinterpret_cast<const uint4*>(source),
                                             units);
  return cudaGetLastError();
}

void copy_by_kernel(int number, device::Stream& stream, std::byte* target, const std::byte* source, std::size_t bytes) {
  const CurrentDevice current(number);
  check(launch_copy(target, source, bytes, static_cast<cudaStream_t>(stream.native())),
        "the launch of a copying kernel");
}

OpenAtOnce::OpenAtOnce(int first_device, cudaStream_t first, int second_device, cudaStream_t second)
    : streams_{first, second} {
  constexpr std::uint64_t limit = 200'000'000;  // nanoseconds
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof *word_, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
  word_ = static_cast<std::uint64_t*>(memory);
  *word_ = 0;
  const int devices[2] = {first_device, second_device};
  for (int i = 0; i < 2; ++i) {
    const CurrentDevice current(devices[i]);
    hold<<<1, 1, 0, streams_[i]>>>(word_, limit);
    check(cudaGetLastError(), "the launch of a gate");
  }
}

OpenAtOnce::~OpenAtOnce() {
  open();
  for (cudaStream_t stream : streams_) cudaStreamSynchronize(stream);
  cudaFreeHost(word_);
}

void OpenAtOnce::open() { Word(*word_).store(1, ::cuda::std::memory_order_release); }

void ping_pong(int number, device::Stream& stream, std::uint64_t* own, std::uint64_t* other, bool first, int rounds,
               std::uint64_t limit_nanoseconds, std::uint64_t* nanoseconds) {
  const CurrentDevice current(number);
  play<<<1, 1, 0, static_cast<cudaStream_t>(stream.native())>>>(own, other, first, rounds, limit_nanoseconds,
                                                                nanoseconds);
  check(cudaGetLastError(), "the launch of a ping-pong kernel");
}

}  // namespace halocline::machine::measuring::cuda
