// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/word_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "core/leak.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

constexpr auto pause_of_reader = std::chrono::milliseconds(1);

}  // namespace

CudaWordReader::CudaWordReader(std::shared_ptr<Devices> devices, int device, std::vector<const std::uint64_t*> words)
    : devices_(std::move(devices)),
      device_(device),
      words_(std::move(words)),
      copies_(make_pinned(devices_, std::max<std::size_t>(words_.size(), 1) * sizeof(std::uint64_t))),
      stream_(std::make_unique<CudaStream>(devices_, device, Priority::high, "halocline recorder")) {
  const CurrentDevice now(devices_->at(device_).context());
  const CaptureAside aside;
  check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "cudaEventCreate");
}

CudaWordReader::~CudaWordReader() {
  if (under_way_) {
    leak(std::move(stream_));
    leak(std::move(copies_));
    return;
  }
  const CurrentDevice now(devices_->at(device_).context(), std::nothrow);
  const CaptureAside aside;
  log_failure(cudaEventDestroy(copied_), "cudaEventDestroy");
}

std::vector<std::uint64_t> CudaWordReader::copied(Duration patience) {
  const CurrentDevice now(devices_->at(device_).context());
  const CaptureAside aside;
  auto* const stream = static_cast<cudaStream_t>(stream_->native());
  if (!under_way_) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      check(cudaMemcpyAsync(copies_->data() + i * sizeof(std::uint64_t), words_[i], sizeof(std::uint64_t),
                            cudaMemcpyDefault, stream),
            "cudaMemcpyAsync");
    }
    check(cudaEventRecord(copied_, stream), "cudaEventRecord");
    under_way_ = true;
  }
  const Deadline deadline(Clock::steady(), patience);
  while (!is_done(cudaEventQuery(copied_), "cudaEventQuery")) {
    if (deadline.expired()) {
      throw DeadlineError(fmt::format("the device has not copied its flags within {} s",
                                      std::chrono::duration<double>(patience).count()));
    }
    std::this_thread::sleep_for(pause_of_reader);
  }
  under_way_ = false;
  std::vector<std::uint64_t> values(words_.size());
  std::memcpy(values.data(), copies_->data(), values.size() * sizeof(std::uint64_t));
  return values;
}

std::optional<std::vector<std::uint64_t>> CudaWordReader::read(Duration patience, std::string& why_not) noexcept {
  try {
    return copied(patience);
  } catch (const std::exception& error) {
    try {
      why_not = error.what();
    } catch (...) {  // out of memory: without the reason
    }
    return std::nullopt;
  }
}

}  // namespace halocline::device::cuda
