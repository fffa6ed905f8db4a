// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/system_scope.cuh"
#include "gpu/device/flag_stress.hpp"

namespace halocline::device::test {
namespace {

/// Both halves of the word change from one epoch to the next.
__device__ std::uint64_t token_of(std::uint64_t epoch) { return (epoch + 1) * 0x9e3779b97f4a7c15U; }

__global__ void write_kernel(Flag* flag, std::uint64_t last) {
  for (std::uint64_t epoch = 1; epoch <= last; ++epoch) cuda::release(flag, {epoch, token_of(epoch)});
}

__global__ void read_kernel(const Flag* flag, std::uint64_t last, FlagReadings* readings) {
  std::uint64_t before = 0;
  FlagReadings all{};
  for (bool acquires = false; before < last; acquires = !acquires) {
    const cuda::FlagWords words = acquires ? cuda::acquire(flag) : cuda::load_relaxed(flag);
    all.seen += words.epoch != before ? 1 : 0;
    all.torn += words.epoch != 0 && words.token != token_of(words.epoch) ? 1 : 0;
    before = words.epoch;
  }
  *readings = all;
}

}  // namespace

void write_flags(void* stream, Flag* flag, std::uint64_t last) {
  write_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(flag, last);
}

void read_flags(void* stream, const Flag* flag, std::uint64_t last, FlagReadings* readings) {
  read_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(flag, last, readings);
}

}  // namespace halocline::device::test
