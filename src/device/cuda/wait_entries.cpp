// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/wait_entries.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void check_reachable(const std::atomic<std::uint32_t>* abort) {
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, abort);
  (void)cudaGetLastError();
  if (status == cudaSuccess && attributes.devicePointer == abort) return;
  throw InvalidArgument(
      fmt::format("the abort word at {} is not in memory that devices reach; allowed are pinned, "
                  "registered and device memory",
                  static_cast<const void*>(abort)));
}

std::uint64_t timeout_ns(Duration timeout) {
  return static_cast<std::uint64_t>(std::max<Duration::rep>(timeout.count(), 0));
}

}  // namespace

WaitEntry WaitEntries::of(const FlagWait& wait) const {
  const std::atomic<std::uint32_t>* abort = wait.guard->abort;
  if (abort != nullptr && abort != known_) {
    check_reachable(abort);
    known_ = abort;
  }
  return {wait.flag,
          wait.refusal,
          reinterpret_cast<const std::uint32_t*>(abort),
          wait.token,
          timeout_ns(wait.guard->timeout),
          failures_->label(wait.guard->label),
          wait.odd};
}

CheckEntry WaitEntries::of(const CounterCheck& check) const {
  return {check.counter, check.modulus, check.remainder, failures_->label(check.otherwise)};
}

}  // namespace halocline::device::cuda
