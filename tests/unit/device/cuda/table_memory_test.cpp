// SPDX-License-Identifier: BSD-3-Clause
// Memory of tables, of a slab and beyond it with memory pools and without: which calls of CUDA it comes from and goes back to.
#include "device/cuda/table_memory.hpp"

#include <limits>
#include <memory>
#include <new>

#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "support/without_memory.hpp"
#include "unit/device/cuda/fake_runtime.hpp"

namespace halocline::device::cuda::test {
namespace {

using halocline::test::error_of;

/// More than a slab has.
constexpr std::size_t large = TableMemory::slab_bytes + 1;

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
    void* const first = tables.allocate(large, stream);
    void* const second = tables.allocate(large, stream);
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
    void* const first = tables.allocate(large, stream);
    fake.failing[allocates()] = cudaErrorMemoryAllocation;
    EXPECT_EQ(error_of<ResourceError>([&] { (void)tables.allocate(large, stream); }),
              std::string(allocates()) + ": out of memory (cudaErrorMemoryAllocation)");
    EXPECT_EQ(fake.last_error, cudaSuccess) << "a later cudaGetLastError() of the user's";
    fake.failing.clear();
    tables.free(tables.allocate(large, stream), stream);  // there is memory again
    tables.free(first, stream);
  }
  EXPECT_TRUE(fake.live.empty());
}

TEST_P(Tables, AreNotAllocatedWithoutMemoryOfTheHost) {
  TableMemory tables(0);
  void* const first = tables.allocate(large, stream);
  const auto live = fake.live;
  for (const std::size_t bytes : {std::size_t{64}, large}) {
    const halocline::test::WithoutMemory here;
    EXPECT_THROW((void)tables.allocate(bytes, stream), std::bad_alloc);
  }
  EXPECT_EQ(fake.live, live);
  tables.free(first, stream);
  EXPECT_NE(tables.allocate(TableMemory::slab_bytes, stream), nullptr);
  EXPECT_EQ(fake.live.size(), live.size() - (GetParam() ? 1 : 0)) << "the slab has its memory again";
}

TEST_P(Tables, AreCountedUntilTheyAreFreed) {
  const auto account = std::make_shared<MemoryAccount>();
  const CountMemory counting(*account, Purpose::messages);
  TableMemory tables(0);
  const auto bytes = [&] { return account->bytes(3, Purpose::tables); };
  void* const small = tables.allocate(64, stream, {3, 64, Purpose::tables});
  void* const beyond = tables.allocate(large, stream, {3, large, Purpose::tables});
  EXPECT_EQ(bytes(), static_cast<std::int64_t>(64 + large));
  tables.free(small, stream);
  EXPECT_EQ(bytes(), static_cast<std::int64_t>(large));
  tables.free(beyond, stream);
  EXPECT_EQ(bytes(), 0);
}

/// A pool takes 32 MiB for its first byte.
TEST_P(Tables, ThatAreSmallShareOneBlock) {
  {
    TableMemory tables(0);
    void* const first = tables.allocate(64, stream);
    void* const second = tables.allocate(100000, stream);
    tables.free(first, stream);
    EXPECT_EQ(tables.allocate(64, stream), first);
    tables.free(second, stream);
    EXPECT_EQ(fake.called, std::vector<std::string>{"cudaMalloc"});
  }
  EXPECT_TRUE(fake.live.empty());
}

TEST_F(TablesOfPools, WithoutMemoryForTheSlabAreAResourceError) {
  fake.failing["cudaMalloc"] = cudaErrorMemoryAllocation;
  EXPECT_EQ(error_of<ResourceError>([] { const TableMemory tables(0); }),
            "cudaMalloc: out of memory (cudaErrorMemoryAllocation)");
  EXPECT_TRUE(fake.live.empty());
}

INSTANTIATE_TEST_SUITE_P(memory, Tables, testing::Bool(),
                         [](const auto& param) { return param.param ? "with_pools" : "without_pools"; });

TEST_F(TablesOfPools, AreFreedInStreamOrder) {
  TableMemory tables(0);
  void* const memory = tables.allocate(large, stream);
  EXPECT_EQ(fake.stream, stream);
  fake.stream = nullptr;
  tables.free(memory, stream);
  EXPECT_EQ(fake.stream, stream);
  EXPECT_EQ(fake.count("cudaFreeAsync"), 1);
  EXPECT_EQ(fake.count("cudaMalloc"), 1) << "the slab";
  EXPECT_EQ(fake.count("cudaFree"), 0) << "it waits for the device";
  EXPECT_EQ(fake.release_threshold, std::numeric_limits<std::size_t>::max()) << "what is freed stays in the pool";
}

TEST_F(TablesOfPools, DoNotLeaveAPoolBehindThatCannotBeSetUp) {
  {
    TableMemory tables(0);
    fake.failing["cudaMemPoolSetAttribute"] = cudaErrorNotSupported;
    EXPECT_EQ(error_of<DeviceError>([&] { (void)tables.allocate(large, stream); }),
              "cudaMemPoolSetAttribute: a description (cudaErrorNotSupported)");
  }
  EXPECT_TRUE(fake.live.empty());
}

/// cudaFree waits for the device, whose work may wait for other ranks: it comes at the end only.
TEST_F(TablesWithoutPools, AreNotFreedWhileTheDeviceMayWork) {
  {
    TableMemory tables(0);
    for (int i = 0; i < 3; ++i) tables.free(tables.allocate(large, stream), stream);
    EXPECT_EQ(fake.count("cudaFree"), 0);
  }
  EXPECT_EQ(fake.count("cudaMalloc"), 4);
  EXPECT_EQ(fake.count("cudaFree"), 4);
  EXPECT_EQ(fake.called.size(), 8u) << "nothing of pools";
}

}  // namespace
}  // namespace halocline::device::cuda::test
