// SPDX-License-Identifier: BSD-3-Clause
// Features of GPUs only: the current device, host pages, concurrent launches.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "device/cuda_backend.hpp"
#include "gpu/device/gpus.hpp"

namespace halocline::device::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class GpuStreams : public OneGpu {};
class GpuPairs : public TwoGpus {};

TEST_F(GpuStreams, DevicesAreNamedAsByNvml) {
  for (const DeviceInfo& device : cuda_devices()) {
    EXPECT_THAT(device.uuid, MatchesRegex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
    EXPECT_GT(device.memory_bytes, std::int64_t{1} << 30);
  }
  EXPECT_EQ(backend->info(0).uuid, cuda_devices()[0].uuid);
  EXPECT_EQ(backend->row_alignment_bytes(), 128);
  EXPECT_TRUE(backend->prefers_graphs());
}

TEST_F(GpuStreams, DevicesThatAreNotThereAreRefused) {
  const int count = static_cast<int>(cuda_devices().size());
  EXPECT_EQ(thrown([&] {
              (void)make_cuda_backend({{count}, {}});
            }),
            "invalid argument: the CUDA device is " + std::to_string(count) + "; allowed is 0 to " +
                std::to_string(count - 1));
  EXPECT_EQ(thrown([&] {
              (void)make_cuda_backend({{0, 0}, {}});
            }),
            "invalid argument: CUDA device 0 is listed more than once; allowed is each once");
}

TEST_F(GpuPairs, TheCurrentDeviceStaysWhatItWas) {
  for (const int current : {0, 1}) {
    ASSERT_EQ(cudaSetDevice(current), cudaSuccess);
    const auto expect_same = [&](const char* after) {
      int now = -1;
      ASSERT_EQ(cudaGetDevice(&now), cudaSuccess);
      EXPECT_EQ(now, current) << after;
      EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << after;
    };
    const auto mine = make();
    expect_same("make_cuda_backend");
    for (const int device : {1, 0}) {
      const auto memory = mine->allocate_shareable(device, 4096);
      const auto plain = mine->allocate(device, 4096);
      const auto pinned = mine->allocate_pinned(4096);
      expect_same("allocate");
      (void)mine->map(1 - device, memory->handle());
      expect_same("map");
      const auto stream = mine->create_stream(device, Priority::high, "high");
      const auto event = mine->create_event(device, Timing::on);
      auto* epoch = reinterpret_cast<std::uint64_t*>(memory->data());
      stream->record(*event);
      stream->advance(epoch);
      stream->copy(pinned->data(), memory->data(), 4096);
      const StridedCopy copy{memory->data(), plain->data(), {8, 0, 0}, {8, 0, 0}, {8, 1, 1}, 8};
      stream->copy(copy);
      const auto list = mine->prepare(device, {&copy, 1});
      stream->copy(*list);
      expect_same("enqueuing");
      stream->begin_capture();
      stream->copy(*list);
      const auto graph = stream->end_capture();
      stream->launch(*graph);
      stream->wait(*event);
      (void)stream->query();
      expect_same("graphs and queries");
      stream->synchronize();
      (void)event->query();
      expect_same("synchronize");
    }
    expect_same("destructors");
    (void)mine->peer_access(0, 1);
    (void)mine->overlapping_launches();
    expect_same("asking");
  }
}

TEST_F(GpuStreams, LaunchesOverlap) {
  const Verdict access = backend->overlapping_launches();
  EXPECT_TRUE(access.yes) << access.why_not;
}

TEST_F(GpuStreams, AHostFunctionCannotBeLaunchedAsAKernel) {
  const auto stream = backend->create_stream(0);
  EXPECT_NE(stream->native(), nullptr);
  EXPECT_THAT(thrown([&] {
                stream->launch(Box::of_extent({1, 1, 1}), [](const Box&) {});
              }),
              AllOf(StartsWith("capability: "), HasSubstr("native()")));
}

/// Two domains may register windows that share pages; the first one to unregister must not affect the other.
TEST_F(GpuStreams, PagesAreRegisteredForAsLongAsSomebodyNeedsThem) {
  constexpr std::size_t words = 64 * 1024 / 8;
  std::vector<std::uint64_t> memory(words);
  const auto* bytes = reinterpret_cast<const std::byte*>(memory.data());
  auto first = backend->register_host(bytes, 40 * 1024);
  const auto second = make()->register_host(bytes + 20 * 1024, 44 * 1024);
  const auto nothing = backend->register_host(nullptr, 0);
  const auto stream = backend->create_stream(0);
  for (const std::size_t i : {std::size_t{3}, words / 2, words - 1}) stream->advance(&memory[i]);
  stream->synchronize();
  first.reset();
  for (const std::size_t i : {words / 2, words - 1}) stream->advance(&memory[i]);
  stream->synchronize();
  EXPECT_EQ(memory[3], 1u);
  EXPECT_EQ(memory[words / 2], 2u);
  EXPECT_EQ(memory[words - 1], 2u);
  EXPECT_EQ(thrown([&] { (void)backend->register_host(nullptr, 8); }),
            "invalid argument: the 8 bytes to register are null");
}

TEST_F(GpuStreams, AnAbortWordThatDevicesDoNotReachIsRefused) {
  const auto memory = make_page(*backend);
  const std::atomic<std::uint32_t> word{0};
  const auto stream = backend->create_stream(0);
  EXPECT_THAT(thrown([&] {
                wait_for(*stream, &page(*memory).one, &page(*memory).flags[0], 1,
                         guard("x", std::chrono::seconds(1), &word));
              }),
              StartsWith("invalid argument: the abort word at "));
  stream->synchronize();
}

TEST_F(GpuPairs, EventsBelongToTheDeviceOfTheirStream) {
  const auto stream = backend->create_stream(0);
  const auto event = backend->create_event(1);
  EXPECT_EQ(thrown([&] { stream->record(*event); }),
            "invalid argument: the event belongs to device 1; allowed is the stream's, 0");
  const auto list = backend->prepare(1, {});
  EXPECT_EQ(thrown([&] { stream->copy(*list); }),
            "invalid argument: the list of copies was prepared for device 1; allowed is the stream's, 0");
}

/// More streams than hardware queues: a waiting stream must not block the others.
TEST_F(GpuStreams, ManyStreamsWaitWhileAnotherWorks) {
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  std::vector<std::unique_ptr<Stream>> waiting;
  for (int i = 0; i < 24; ++i) {
    waiting.push_back(backend->create_stream(0));
    wait_for(*waiting.back(), &at.one, &at.flags[0], 1, guard("stream " + std::to_string(i)));
  }
  for (const auto& stream : waiting) EXPECT_FALSE(stream->query());
  const auto signalling = backend->create_stream(0);
  signal_to(*signalling, &at.one, &at.flags[0], 1);
  for (const auto& stream : waiting) EXPECT_NO_THROW(stream->synchronize());
}

}  // namespace
}  // namespace halocline::device::test
