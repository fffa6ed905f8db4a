// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "device/cuda_backend.hpp"

namespace halocline::test {

/// The number of GPUs that this process sees.
[[nodiscard]] inline int gpu_count() { return static_cast<int>(device::cuda_devices().size()); }

/// A backend of `devices` GPUs for a rank, numbered after the GPUs of lower ranks, modulo the number of GPUs. Only
/// ranks that are processes may share GPUs: kernels of one process that wait for each other must not share queues.
[[nodiscard]] inline std::shared_ptr<device::Backend> gpus_of_rank(int first, int devices) {
  const int gpus = gpu_count();
  device::CudaOptions options;
  for (int d = 0; d < devices; ++d) options.devices.push_back((first + d) % gpus);
  return device::make_cuda_backend(options);
}

/// Why two of the GPUs have no peer access; empty if all have.
[[nodiscard]] inline std::string without_peer_access() {
  const auto all = gpus_of_rank(0, gpu_count());
  for (int from = 0; from < gpu_count(); ++from) {
    for (int to = 0; to < gpu_count(); ++to) {
      const Verdict access = all->peer_access(from, to);
      if (!access.yes) return "no peer access: " + access.why_not;
    }
  }
  return {};
}

}  // namespace halocline::test

/// Within a test: skips it by name if there are fewer GPUs.
#define HALOCLINE_NEEDS_GPUS(count)                                                        \
  if (halocline::test::gpu_count() < (count)) {                                            \
    GTEST_SKIP() << "needs " << (count) << " GPUs, sees " << halocline::test::gpu_count(); \
  }                                                                                        \
  static_assert(true)
