// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "device/cuda/discovery.hpp"
#include "device/cuda/kernels.hpp"
#include "device/cuda/unusable.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

/// Throws CapabilityError if the program contains no code for the GPU, or none that the driver can compile for it.
void check_loading(cudaError_t status, const char* what, int cuda_ordinal, const std::string& name) {
  const bool is_newer = status == cudaErrorUnsupportedPtxVersion;
  if (!is_newer && status != cudaErrorNoKernelImageForDevice && status != cudaErrorInvalidDeviceFunction) {
    check(status, what);
    return;
  }
  (void)cudaGetLastError();
  int major = 0;
  int minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, cuda_ordinal), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, cuda_ordinal), "cudaDeviceGetAttribute");
  const std::string gpu = fmt::format("GPU {} ({})", cuda_ordinal, name);
  if (!is_newer) throw CapabilityError(no_kernel_text(gpu, major, minor, HALOCLINE_CUDA_ARCHITECTURES));
  int supports = 0;
  int built_with = 0;
  check(cudaDriverGetVersion(&supports), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&built_with), "cudaRuntimeGetVersion");
  throw CapabilityError(new_ptx_text(gpu, major, minor, HALOCLINE_CUDA_ARCHITECTURES, supports, built_with));
}

}  // namespace

OwnStream::OwnStream(Priority priority) {
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority == Priority::high ? greatest : least),
        "cudaStreamCreateWithPriority");
}

OwnStream::~OwnStream() { log_failure(cudaStreamDestroy(stream_), "cudaStreamDestroy"); }

OwnBoard::OwnBoard(cudaStream_t stream) {
  try {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, sizeof(FailureRecords), cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
    records_ = new (memory) FailureRecords;
    check(cudaMalloc(&memory, sizeof(Board)), "cudaMalloc");
    board_ = static_cast<Board*>(memory);
    Board initial;
    initial.record = &records_->kernels;
    check(cudaMemcpyAsync(board_, &initial, sizeof initial, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  } catch (...) {
    (void)cudaFree(board_);
    (void)cudaFreeHost(records_);
    throw;
  }
}

OwnBoard::~OwnBoard() {
  log_failure(cudaFree(board_), "cudaFree");
  log_failure(cudaFreeHost(records_), "cudaFreeHost");
}

bool OwnBoard::failed() const {
  return std::atomic_ref<std::uint32_t>(records_->kernels.published).load(std::memory_order_acquire) != 0;
}

void OwnBoard::fail_from_host() const {
  std::atomic_ref<std::uint32_t>(records_->host.published).store(1, std::memory_order_release);
}

void OwnBoard::add_other(std::uint32_t* stop, cudaStream_t stream) {
  if (others_ == most_devices) return;  // the host stops the other device instead
  const std::uint32_t count = others_ + 1;
  check(cudaMemcpyAsync(&board_->other_stops[others_], &stop, sizeof stop, cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
  check(cudaMemcpyAsync(&board_->others, &count, sizeof count, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  others_ = count;
}

cudaError_t OwnBoard::stop(cudaStream_t stream) const {
  static const std::uint32_t one = 1;
  return cudaMemcpyAsync(&board_->stop, &one, sizeof one, cudaMemcpyHostToDevice, stream);
}

Device::Device(int cuda_ordinal)
    : ordinal_(cuda_ordinal), context_(primary_context(cuda_ordinal)), info_(describe_device(cuda_ordinal)) {
  const CurrentDevice current(context_);
  const CaptureAside aside;
  check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, cuda_ordinal),
        "cudaDeviceGetAttribute");
  check_loading(load_flag_kernels(), "loading the kernels for flags", cuda_ordinal, info_.name);
  check_loading(load_copy_kernels(), "loading the kernels for copies", cuda_ordinal, info_.name);
  check_loading(load_sum_kernels(), "loading the kernels for sums", cuda_ordinal, info_.name);
  check_loading(load_reduction_kernel(), "loading the kernel for reductions", cuda_ordinal, info_.name);
  check_loading(load_fused_kernel(), "loading the kernel for whole exchanges", cuda_ordinal, info_.name);
  check(fused_kernel_may_start_early(&starts_early_), "cudaFuncGetAttributes");
  check(copy_blocks_at_once(&copy_blocks_at_once_), "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  check(fused_blocks_at_once(&fused_blocks_at_once_), "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  aside_ = std::make_unique<OwnStream>(Priority::high);
  tables_ = std::make_unique<TableMemory>(cuda_ordinal);
  board_ = std::make_unique<OwnBoard>(aside_->get());
}

Device::~Device() {
  const CurrentDevice current(context_, std::nothrow);
  const CaptureAside aside;
  board_.reset();
  tables_.reset();
  aside_.reset();
}

unsigned Device::copy_blocks(std::uint32_t tiles) const {
  return std::clamp(tiles, 1u, static_cast<unsigned>(multiprocessors_ * std::max(copy_blocks_at_once_, 1)));
}

int Device::fused_room() const { return multiprocessors_ * std::max(fused_blocks_at_once_, 1); }

int Device::fused_blocks(int multiprocessors) const {
  if (multiprocessors == 0) return fused_room();
  return std::min(multiprocessors, multiprocessors_) * std::max(fused_blocks_at_once_, 1);
}

BlockLimits Device::fused_limits(int multiprocessors, int room) const {
  const int blocks = std::min(fused_blocks(multiprocessors), room);
  // One block coordinates. One block per multiprocessor saturates the links: with two, exchanges between H200s took 8 %
  // longer.
  return {static_cast<std::uint32_t>(std::max(blocks - 1, 1)),
          static_cast<std::uint32_t>(std::max(multiprocessors_, 1))};
}

}  // namespace halocline::device::cuda
