// SPDX-License-Identifier: BSD-3-Clause
// Memory of tables with memory pools and without: which calls of CUDA it comes from and goes back to.
#include "device/cuda/table_memory.hpp"

#include <limits>

#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "unit/device/cuda/fake_runtime.hpp"

namespace halocline::device::cuda::test {
namespace {

using halocline::test::error_of;

class TablesOfPools : public FakeCuda {
 protected:
  const cudaStream_t stream = reinterpret_cast<cudaStream_t>(&fake);
};

class TablesWithoutPools : public TablesOfPools {
 protected:
  void SetUp() override {
    TablesOfPools::SetUp();
    fake.has_pools = false;
  }
};

class Tables : public TablesOfPools, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    TablesOfPools::SetUp();
    fake.has_pools = GetParam();
  }
  [[nodiscard]] static const char* allocates() { return GetParam() ? "cudaMallocFromPoolAsync" : "cudaMalloc"; }
};

TEST_P(Tables, AreFreedAtTheLatestWithTheirMemory) {
  {
    TableMemory tables(0);
    void* const first = tables.allocate(64, stream);
    void* const second = tables.allocate(64, stream);
    EXPECT_NE(first, second);
    EXPECT_EQ(fake.live.at(first), allocates());
    tables.free(first, stream);
    tables.free(second, stream);
  }
  EXPECT_TRUE(fake.live.empty());
  EXPECT_EQ(fake.last_error, cudaSuccess);
}

TEST_P(Tables, WithoutMemoryAreAResourceErrorAndLeaveNothingBehind) {
  {
    TableMemory tables(0);
    void* const first = tables.allocate(64, stream);
    fake.failing[allocates()] = cudaErrorMemoryAllocation;
    EXPECT_EQ(error_of<ResourceError>([&] { (void)tables.allocate(64, stream); }),
              std::string(allocates()) + ": out of memory (cudaErrorMemoryAllocation)");
    EXPECT_EQ(fake.last_error, cudaSuccess) << "a later cudaGetLastError() of the user's";
    fake.failing.clear();
    tables.free(tables.allocate(64, stream), stream);  // there is memory again
    tables.free(first, stream);
  }
  EXPECT_TRUE(fake.live.empty());
}

INSTANTIATE_TEST_SUITE_P(memory, Tables, testing::Bool(),
                         [](const auto& param) { return param.param ? "with_pools" : "without_pools"; });

TEST_F(TablesOfPools, AreFreedInStreamOrder) {
  TableMemory tables(0);
  void* const memory = tables.allocate(64, stream);
  EXPECT_EQ(fake.stream, stream);
  fake.stream = nullptr;
  tables.free(memory, stream);
  EXPECT_EQ(fake.stream, stream);
  EXPECT_EQ(fake.count("cudaFreeAsync"), 1);
  EXPECT_EQ(fake.count("cudaMalloc") + fake.count("cudaFree"), 0) << "cudaFree waits for the device";
  EXPECT_EQ(fake.release_threshold, std::numeric_limits<std::size_t>::max()) << "what is freed stays in the pool";
}

TEST_F(TablesOfPools, DoNotLeaveAPoolBehindThatCannotBeSetUp) {
  fake.failing["cudaMemPoolSetAttribute"] = cudaErrorNotSupported;
  EXPECT_EQ(error_of<DeviceError>([] { const TableMemory tables(0); }),
            "cudaMemPoolSetAttribute: a description (cudaErrorNotSupported)");
  EXPECT_TRUE(fake.live.empty());
}

/// cudaFree waits for the device, whose work may wait for other ranks: it comes at the end only.
TEST_F(TablesWithoutPools, AreNotFreedWhileTheDeviceMayWork) {
  {
    TableMemory tables(0);
    for (int i = 0; i < 3; ++i) tables.free(tables.allocate(64, stream), stream);
    EXPECT_EQ(fake.count("cudaFree"), 0);
  }
  EXPECT_EQ(fake.count("cudaFree"), 3);
  EXPECT_EQ(fake.called,
            (std::vector<std::string>{"cudaMalloc", "cudaMalloc", "cudaMalloc", "cudaFree", "cudaFree", "cudaFree"}))
      << "nothing of pools";
}

}  // namespace
}  // namespace halocline::device::cuda::test
