// SPDX-License-Identifier: BSD-3-Clause
// A flag's epoch and token arrive as one value: between two GPUs, and within one.
#include <cuda_runtime_api.h>

#include "gpu/device/flag_stress.hpp"
#include "gpu/device/gpus.hpp"

namespace halocline::device::test {
namespace {

/// From which GPU to which GPU.
class GpuFlags : public TwoGpus, public ::testing::WithParamInterface<std::pair<int, int>> {};

TEST_P(GpuFlags, AreNeverTorn) {
  const auto [writer, reader] = GetParam();
  constexpr std::uint64_t last = 1'000'000;
  const auto memory = make_page(*backend, reader);
  const auto readings = make_page(*backend, reader);
  auto* const at = reinterpret_cast<FlagReadings*>(readings->data());
  const auto reads = backend->create_stream(reader);
  const auto writes = backend->create_stream(writer);
  const auto launch = [&](int device, auto&& enqueue) {
    ASSERT_EQ(cudaSetDevice(backend->info(device).native_ordinal), cudaSuccess);
    enqueue();
    ASSERT_EQ(cudaGetLastError(), cudaSuccess);
  };
  Flag* const flag = &page(*memory).flags[0];
  // The first launch of a kernel loads it, which waits for running kernels; so all are loaded before one waits for
  // another.
  launch(reader, [&] { read_flags(reads->native(), flag, 0, at); });
  launch(writer, [&] { write_flags(writes->native(), flag, 0); });
  reads->synchronize();
  writes->synchronize();
  launch(reader, [&] { read_flags(reads->native(), flag, last, at); });
  launch(writer, [&] { write_flags(writes->native(), flag, last); });
  writes->synchronize();
  reads->synchronize();
  EXPECT_GT(read(&at->seen), 1000u);
  EXPECT_EQ(read(&at->torn), 0u);
}

INSTANTIATE_TEST_SUITE_P(Pairs, GpuFlags, ::testing::Values(std::pair{0, 1}, std::pair{1, 0}, std::pair{0, 0}),
                         [](const auto& param) {
                           return "From" + std::to_string(param.param.first) + "To" +
                                  std::to_string(param.param.second);
                         });

}  // namespace
}  // namespace halocline::device::test
