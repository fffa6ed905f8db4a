// SPDX-License-Identifier: BSD-3-Clause
// When tables are freed that work of streams may read, and that freeing them needs no memory of the host.
#include "device/cuda/stream_work.hpp"

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "support/without_memory.hpp"
#include "unit/device/cuda/fake_runtime.hpp"

namespace halocline::device::cuda::test {
namespace {

using halocline::test::WithoutMemory;

/// A device and two streams.
class TablesBehindWork : public FakeCuda {
 protected:
  using Tables = std::unique_ptr<void, StreamWork::FreeBehind>;

  void SetUp() override {
    FakeCuda::SetUp();
    devices.push_back(std::make_unique<Device>(0));
    work.emplace(devices);
    for (cudaStream_t stream : streams) work->add(0, stream);
  }
  [[nodiscard]] Tables tables(std::size_t bytes = TableMemory::slab_bytes + 1) {
    StreamWork::FreeBehind freed(*work, 0);
    return Tables(devices[0]->tables().allocate(bytes, devices[0]->aside()), std::move(freed));
  }
  /// While work is under way, and no longer.
  void expect_to_stay(Tables& some) {
    some.reset();
    EXPECT_FALSE(work->done());
    EXPECT_EQ(fake.count("cudaFreeAsync"), 0);
    fake.busy.clear();
    EXPECT_TRUE(work->done());
    EXPECT_EQ(fake.count("cudaFreeAsync"), 1);
  }

  /// Until all streams are gone.
  void expect_to_stay_until_end(Tables& some) {
    some.reset();
    EXPECT_FALSE(work->done());
    EXPECT_EQ(fake.count("cudaFreeAsync"), 0);
    work->end();
    EXPECT_TRUE(work->done());
    EXPECT_EQ(fake.count("cudaFreeAsync"), 1);
  }

  std::array<int, 2> places{};
  const std::array<cudaStream_t, 2> streams{reinterpret_cast<cudaStream_t>(&places[0]),
                                            reinterpret_cast<cudaStream_t>(&places[1])};
  std::vector<std::unique_ptr<Device>> devices;
  std::optional<StreamWork> work;
};

TEST_F(TablesBehindWork, AreFreedAtOnceWhereThereIsNone) {
  tables().reset();
  EXPECT_EQ(fake.count("cudaFreeAsync"), 1);
  EXPECT_EQ(fake.count("cudaEventCreate"), 0);
  EXPECT_TRUE(work->done());
}

TEST_F(TablesBehindWork, StayUntilItHasEnded) {
  Tables some = tables();
  fake.busy = {streams[0], streams[1]};
  some.reset();
  fake.busy = {streams[1]};
  EXPECT_FALSE(work->done());
  EXPECT_EQ(fake.count("cudaFreeAsync"), 0);
  fake.busy.clear();
  EXPECT_TRUE(work->done());
  EXPECT_EQ(fake.count("cudaFreeAsync"), 1);
  EXPECT_EQ(fake.count("cudaEventDestroy"), 2);
}

TEST_F(TablesBehindWork, StayUntilThatOfRemovedStreamsHasEnded) {
  Tables some = tables();
  fake.busy = {streams[0]};
  work->remove(0, streams[0]);
  expect_to_stay(some);
}

/// cudaStreamPerThread is the same handle on each device.
TEST_F(TablesBehindWork, StayUntilThatOfTheirOwnDevicesStreamHasEnded) {
  devices.push_back(std::make_unique<Device>(0));
  work.emplace(devices);
  work->add(0, streams[0]);
  work->add(1, streams[0]);
  Tables some = tables();
  work->remove(1, streams[0]);
  fake.busy = {streams[0]};
  expect_to_stay(some);
}

TEST_F(TablesBehindWork, StayUntilTheEndWhereAStreamIsCaptured) {
  Tables some = tables();
  fake.captured = streams[1];
  some.reset();
  fake.captured = nullptr;
  EXPECT_FALSE(work->done());
  work->end();
  EXPECT_TRUE(work->done());
  EXPECT_EQ(fake.count("cudaFreeAsync"), 1);
}

TEST_F(TablesBehindWork, StayUntilTheEndWhereARemovedStreamWasCaptured) {
  Tables some = tables();
  fake.captured = streams[1];
  work->remove(0, streams[1]);
  fake.captured = nullptr;
  expect_to_stay_until_end(some);
}

TEST_F(TablesBehindWork, StayUntilTheEndWhereThereWasNoMemoryForTheWorkOfARemovedStream) {
  Tables some = tables();
  fake.busy = {streams[0]};
  {
    const WithoutMemory here;
    work->remove(0, streams[0]);
  }
  fake.busy.clear();
  expect_to_stay_until_end(some);
}

/// From the slab, from a pool, and where there are no pools.
TEST_F(TablesBehindWork, AreFreedWithoutMemoryOfTheHost) {
  fake.has_pools = false;
  devices.push_back(std::make_unique<Device>(0));
  const Device& poor = *devices.back();
  void* const kept = poor.tables().allocate(TableMemory::slab_bytes + 1, poor.aside());
  work.emplace(devices);
  Tables small = tables(TableMemory::slab_bytes / 2);
  Tables large = tables();
  void* const place = small.get();
  {
    const WithoutMemory here;
    small.reset();
    large.reset();
    poor.tables().free(kept, poor.aside());
  }
  EXPECT_TRUE(work->done());
  EXPECT_EQ(fake.count("cudaFreeAsync"), 1);
  EXPECT_EQ(tables(TableMemory::slab_bytes).get(), place) << "all of the slab is free again";
}

/// There is no memory for events behind the work that is under way, so that tables stay until all streams are gone.
TEST_F(TablesBehindWork, StayUntilTheEndWithoutMemoryOfTheHost) {
  Tables some = tables();
  fake.busy = {streams[0]};
  {
    const WithoutMemory here;
    some.reset();
    work->remove(0, streams[0]);
    work->remove(0, streams[1]);
  }
  EXPECT_EQ(fake.count("cudaEventDestroy"), fake.count("cudaEventCreate"));
  fake.busy.clear();
  EXPECT_FALSE(work->done());
  EXPECT_EQ(fake.count("cudaFreeAsync"), 0);
  work->end();
  EXPECT_TRUE(work->done());
  EXPECT_EQ(fake.count("cudaFreeAsync"), 1);
}

}  // namespace
}  // namespace halocline::device::cuda::test
