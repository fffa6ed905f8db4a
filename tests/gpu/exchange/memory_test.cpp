// SPDX-License-Identifier: BSD-3-Clause
// The memory of a domain by its use against what CUDA reports as used.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/memory_account.hpp"
#include "domain/internals.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/halocline.hpp"

namespace halocline::test {
namespace {

using device::Purpose;

/// CUDA allocates blocks of 2 MiB: these are four, for small allocations and for its own of streams.
constexpr double rounding = 8 * 1024 * 1024;

std::int64_t used(int device) {
  std::size_t free = 0;
  std::size_t all = 0;
  EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
  EXPECT_EQ(cudaMemGetInfo(&free, &all), cudaSuccess);
  return static_cast<std::int64_t>(all - free);
}

std::unique_ptr<Domain> exchanged(const std::shared_ptr<device::Backend>& backend, std::int64_t cells, int gpus) {
  DomainOptions options;
  options.devices.existing.emplace(backend);
  auto domain = std::make_unique<Domain>(Vec3{cells, cells, cells * gpus}, Stencil::box(3), options);
  for (const char* field : {"a", "b", "c", "d"}) domain->add_field<float>(field);
  domain->realize();
  domain->exchange();
  domain->synchronize();
  return domain;
}

TEST(GpuMemory, OfADomainIsWhatCudaReports) {
  HALOCLINE_NEEDS_GPUS(1);
  const int gpus = std::min(gpu_count(), 2);
  const auto backend = gpus_of_rank(0, gpus);
  exchanged(backend, 32, gpus)->close();  // loads the kernels
  std::vector<std::int64_t> before;
  for (int device = 0; device < gpus; ++device) before.push_back(used(device));
  const auto domain = exchanged(backend, 256, gpus);
  const device::MemoryAccount& memory = internals(*domain).memory();
  const std::string text = domain->explain();
  for (int device = 0; device < gpus; ++device) {
    const std::int64_t grown = used(device) - before[static_cast<std::size_t>(device)];
    EXPECT_GE(memory.bytes(device), 4 * 4 * 262 * 262 * 262);
    EXPECT_GT(memory.bytes(device, Purpose::tables), 0);
    EXPECT_NEAR(static_cast<double>(grown), static_cast<double>(memory.bytes(device)), rounding)
        << "device " << device << '\n'
        << text;
  }
  EXPECT_THAT(text, testing::HasSubstr("\n           without CUDA's context, "));
  domain->close();
  for (int device = 0; device < gpus; ++device) {
    EXPECT_EQ(memory.bytes(device, Purpose::cells), 0);
    EXPECT_EQ(memory.bytes(device, Purpose::messages), 0);
    EXPECT_NEAR(static_cast<double>(used(device) - before[static_cast<std::size_t>(device)]), 0, rounding);
  }
}

}  // namespace
}  // namespace halocline::test
