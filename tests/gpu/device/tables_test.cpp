// SPDX-License-Identifier: BSD-3-Clause
// The tables of prepared work: allocated from a separate pool, and freed after the kernels that read them.
#include <cuda_runtime_api.h>

#include "device/fused_exchange.hpp"
#include "gpu/device/gpus.hpp"

namespace halocline::device::test {
namespace {

/// A word that is copied to one of two others.
class GpuTables : public OneGpu {
 protected:
  void SetUp() override {
    OneGpu::SetUp();
    if (IsSkipped()) return;
    memory_ = backend->allocate_shareable(0, 3 * sizeof(std::uint64_t));
    flags_ = make_page(*backend);
    stream = backend->create_stream(0);
    other = backend->create_stream(0);
    for (int i = 0; i < 7; ++i) stream->advance(word(0));
    stream->synchronize();
    // Fills the pool before work is held.
    (void)exchange_to(1);
    (void)list_to(1);
  }
  [[nodiscard]] std::uint64_t* word(int i) const { return reinterpret_cast<std::uint64_t*>(memory_->data()) + i; }
  [[nodiscard]] StridedCopy copy_to(int i) const {
    return {reinterpret_cast<std::byte*>(word(0)),
            reinterpret_cast<std::byte*>(word(i)),
            {8, 8, 8},
            {8, 8, 8},
            {1, 1, 1},
            8};
  }
  [[nodiscard]] std::unique_ptr<FusedExchange> exchange_to(int i) const {
    FusedPlan plan;
    plan.local = {copy_to(i)};
    return backend->fuse(0, plan);
  }
  [[nodiscard]] std::unique_ptr<CopyList> list_to(int i) const {
    const StridedCopy copy = copy_to(i);
    return backend->prepare(0, {&copy, 1});
  }
  /// Holds work that is enqueued in the stream afterwards until let_go() is called.
  void hold_up() {
    FlagPage& at = page(*flags_);
    wait_for(*stream, &at.one, &at.flags[0], 1, guard("held up", std::chrono::seconds(20)));
  }
  void let_go() {
    FlagPage& at = page(*flags_);
    signal_to(*other, &at.one, &at.flags[0], 1);
  }

  std::unique_ptr<Stream> stream;
  std::unique_ptr<Stream> other;

 private:
  std::unique_ptr<ShareableBuffer> memory_;
  std::unique_ptr<ShareableBuffer> flags_;
};

/// The next table of the same size would reuse the memory of the first, and overwrite it before the first has run.
TEST_F(GpuTables, OfAnExchangeStayUntilItHasRun) {
  hold_up();
  auto first = exchange_to(1);
  stream->run(*first);
  first.reset();
  const auto second = exchange_to(2);
  let_go();
  stream->synchronize();
  EXPECT_EQ(read(word(1)), 7u);
  EXPECT_EQ(read(word(2)), 0u);
}

TEST_F(GpuTables, OfAListOfCopiesStayUntilItHasRun) {
  hold_up();
  auto first = list_to(1);
  stream->copy(*first);
  first.reset();
  const auto second = list_to(2);
  let_go();
  stream->synchronize();
  EXPECT_EQ(read(word(1)), 7u);
  EXPECT_EQ(read(word(2)), 0u);
}

TEST_F(GpuTables, OfAnExchangeStayWhereItsStreamWasDestroyedFirst) {
  hold_up();
  auto first = exchange_to(1);
  stream->run(*first);
  stream.reset();
  first.reset();
  const auto second = exchange_to(2);
  let_go();
  other->synchronize();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (read(word(1)) != 7 && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_EQ(read(word(1)), 7u);
  EXPECT_EQ(read(word(2)), 0u);
}

/// Memory of idle streams is reused.
TEST_F(GpuTables, DoNotPileUp) {
  std::size_t free_before = 0;
  std::size_t free_after = 0;
  std::size_t all = 0;
  const auto many = [&] {
    for (int i = 0; i < 2000; ++i) {
      const auto made = exchange_to(1 + i % 2);
      stream->run(*made);
      stream->synchronize();
    }
  };
  many();
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&free_before, &all), cudaSuccess);
  many();
  ASSERT_EQ(cudaMemGetInfo(&free_after, &all), cudaSuccess);
  EXPECT_LT(free_before, free_after + (std::size_t{64} << 20));
}

TEST_F(GpuTables, LeaveTheDefaultPoolAlone) {
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  int has_pools = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, 0), cudaSuccess);
  if (has_pools == 0) GTEST_SKIP() << "the GPU has no memory pools";
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  const auto used = [&] {
    std::uint64_t bytes = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes), cudaSuccess);
    return bytes;
  };
  const std::uint64_t before = used();
  const auto made = exchange_to(1);
  EXPECT_EQ(used(), before);
}

}  // namespace
}  // namespace halocline::device::test
