// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace halocline::device::cuda::test {

/// The CUDA runtime that fake_runtime.cpp puts in the place of CUDA's: one GPU, whose memory is the host's. For code that calls
/// the runtime, on machines without a GPU. A test sets what calls return, and reads what was called.
struct FakeRuntime {
  bool has_pools = true;
  int major = 9;
  int minor = 0;
  int driver_version = 13000;
  int runtime_version = 13000;
  cudaError_t device_count = cudaSuccess;
  /// What loading the kernels returns.
  cudaError_t loading = cudaSuccess;
  /// What making a context current returns.
  CUresult switching = CUDA_SUCCESS;
  /// What a function returns, by its name, instead of doing its work.
  std::map<std::string, cudaError_t> failing;

  /// The functions that were called, in order, except those that only ask.
  std::vector<std::string> called;
  /// Memory, pools and streams that were made and not freed, with the function that made them.
  std::map<void*, std::string> live;
  std::size_t release_threshold = 0;  ///< of the pool that was made last
  cudaStream_t stream = nullptr;      ///< of the last call that took one
  std::set<cudaStream_t> busy;        ///< streams whose work has not ended; it also has not for events in them
  cudaStream_t captured = nullptr;    ///< the stream that is being captured
  /// Pools and addresses of the exporter that were imported, in order.
  std::vector<std::uint64_t> imported;
  cudaError_t last_error = cudaSuccess;

  /// How often a function was called.
  [[nodiscard]] int count(const std::string& function) const;
};

/// The one of the process.
[[nodiscard]] FakeRuntime& fake_runtime();
/// Also frees what is live.
void reset_fake_runtime();

class FakeCuda : public testing::Test {
 protected:
  void SetUp() override { reset_fake_runtime(); }
  void TearDown() override { reset_fake_runtime(); }
  FakeRuntime& fake = fake_runtime();
};

}  // namespace halocline::device::cuda::test
