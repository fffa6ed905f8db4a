// SPDX-License-Identifier: BSD-3-Clause
// Which exchanges start before the previous kernel in the stream has ended: visible in graphs, where an early start is
// a programmatic edge. And which exchanges let the next kernel start before their own end.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "device/fused_exchange.hpp"
#include "gpu/device/gpus.hpp"
#include "gpu/device/successor.hpp"

namespace halocline::device::test {
namespace {

/// Whether the code that the GPU runs was compiled for 9.0 or newer. From "80,90a-real,native" it runs the newest it
/// supports.
bool waits_itself() {
  int major = 0;
  int minor = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), cudaSuccess);
  const int capability = major * 10 + minor;
  std::istringstream names(HALOCLINE_CUDA_ARCHITECTURES);
  int newest = 0;
  for (std::string name; std::getline(names, name, ',');) {
    const int version = std::atoi(name.c_str());
    if (version == 0) return capability >= 90;  // "native", "all"
    if (version <= capability) newest = std::max(newest, version);
  }
  return newest >= 90;
}

/// The number of early starts in what a stream has captured so far.
int early_starts(const Stream& stream) {
  auto* handle = static_cast<cudaStream_t>(stream.native());
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
  EXPECT_EQ(cudaStreamGetCaptureInfo(handle, &status, nullptr, &graph, nullptr, nullptr, nullptr), cudaSuccess);
#define HALOCLINE_GET_EDGES cudaGraphGetEdges
#else
  EXPECT_EQ(cudaStreamGetCaptureInfo_v2(handle, &status, nullptr, &graph, nullptr, nullptr), cudaSuccess);
#define HALOCLINE_GET_EDGES cudaGraphGetEdges_v2
#endif
  std::size_t count = 0;
  EXPECT_EQ(HALOCLINE_GET_EDGES(graph, nullptr, nullptr, nullptr, &count), cudaSuccess);
  std::vector<cudaGraphNode_t> from(count);
  std::vector<cudaGraphNode_t> to(count);
  std::vector<cudaGraphEdgeData> edges(count);
  if (count > 0) {
    EXPECT_EQ(HALOCLINE_GET_EDGES(graph, from.data(), to.data(), edges.data(), &count), cudaSuccess);
  }
#undef HALOCLINE_GET_EDGES
  int early = 0;
  for (const cudaGraphEdgeData& edge : edges) early += edge.type == cudaGraphDependencyTypeProgrammatic ? 1 : 0;
  return early;
}

/// An exchange that copies one word, which kernels before it increment.
class Case {
 public:
  Case(Backend& backend, int device_of_word)
      : word_(backend.allocate_shareable(device_of_word, 64)), copy_(backend.allocate_shareable(0, 64)) {
    FusedPlan plan;
    plan.local = {StridedCopy{word_->data(), copy_->data(), {8, 8, 8}, {8, 8, 8}, {1, 1, 1}, 8}};
    exchange = backend.fuse(0, plan);
  }
  [[nodiscard]] std::uint64_t* word() const { return reinterpret_cast<std::uint64_t*>(word_->data()); }
  [[nodiscard]] const std::uint64_t* copy() const { return reinterpret_cast<const std::uint64_t*>(copy_->data()); }
  std::unique_ptr<FusedExchange> exchange;

 private:
  std::unique_ptr<ShareableBuffer> word_;
  std::unique_ptr<ShareableBuffer> copy_;
};

/// Ends the capture, and launches the graph `times` times.
void replay(Stream& stream, int times) {
  const auto graph = stream.end_capture();
  for (int i = 0; i < times; ++i) stream.launch(*graph);
  stream.synchronize();
}

class GpuEarlyStarts : public OneGpu {};
class GpuEarlyStartsOfPairs : public TwoGpus {};

TEST_F(GpuEarlyStarts, AreForKernelsThatWaitThemselves) {
  Case tested(*backend, 0);
  const auto stream = backend->create_stream(0);
  stream->begin_capture();
  stream->run(*tested.exchange);
  EXPECT_EQ(early_starts(*stream), 0);
  stream->run(*tested.exchange);
  EXPECT_EQ(early_starts(*stream), waits_itself() ? 1 : 0) << "compiled for " << HALOCLINE_CUDA_ARCHITECTURES;
  stream->advance(tested.word());
  stream->run(*tested.exchange);
  EXPECT_EQ(early_starts(*stream), waits_itself() ? 2 : 0) << "compiled for " << HALOCLINE_CUDA_ARCHITECTURES;
  replay(*stream, 3);
  EXPECT_EQ(read(tested.copy()), 3u);
}

TEST_F(GpuEarlyStarts, AreNotBehindACopy) {
  Case tested(*backend, 0);
  const auto stream = backend->create_stream(0);
  const auto pinned = backend->allocate_pinned(8);
  const std::uint64_t seven = 7;
  std::memcpy(pinned->data(), &seven, sizeof seven);
  stream->begin_capture();
  stream->copy(reinterpret_cast<std::byte*>(tested.word()), pinned->data(), 8);
  stream->run(*tested.exchange);
  EXPECT_EQ(early_starts(*stream), 0);
  replay(*stream, 1);
  EXPECT_EQ(read(tested.copy()), 7u);
}

TEST_F(GpuEarlyStarts, AreNotBehindSeveralKernels) {
  Case tested(*backend, 0);
  const auto stream = backend->create_stream(0);
  const auto other = backend->create_stream(0);
  const auto forked = backend->create_event(0);
  const auto joined = backend->create_event(0);
  const auto page = make_page(*backend);
  stream->begin_capture();
  stream->record(*forked);
  other->wait(*forked);
  other->advance(tested.word());
  other->record(*joined);
  stream->advance(&test::page(*page).epoch);
  stream->wait(*joined);
  stream->run(*tested.exchange);
  EXPECT_EQ(early_starts(*stream), 0);
  replay(*stream, 3);
  EXPECT_EQ(read(tested.copy()), 3u);
}

/// The kernel may be another device's. Captured twice, as a node of the second capture may lie at the address of an earlier one.
TEST_F(GpuEarlyStarts, AreNotBehindAKernelByWhichTheStreamJoinsTheCapture) {
  Case tested(*backend, 0);
  const auto origin = backend->create_stream(0);
  const auto stream = backend->create_stream(0);
  const auto forked = backend->create_event(0);
  const auto joined = backend->create_event(0);
  for (std::uint64_t captures = 1; captures <= 2; ++captures) {
    origin->begin_capture();
    origin->advance(tested.word());
    origin->record(*forked);
    stream->wait(*forked);
    stream->run(*tested.exchange);
    EXPECT_EQ(early_starts(*stream), 0);
    stream->record(*joined);
    origin->wait(*joined);
    replay(*origin, 3);
    EXPECT_EQ(read(tested.copy()), 3 * captures);
  }
}

TEST_F(GpuEarlyStarts, AreNotWhereTheCallerCaptures) {
  Case tested(*backend, 0);
  const auto stream = backend->create_stream(0);
  auto* handle = static_cast<cudaStream_t>(stream->native());
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(handle, cudaStreamCaptureModeRelaxed), cudaSuccess);
  stream->advance(tested.word());
  stream->run(*tested.exchange);
  EXPECT_EQ(early_starts(*stream), 0);
  stream->run(*tested.exchange);
  EXPECT_EQ(early_starts(*stream), waits_itself() ? 1 : 0);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(handle, &graph), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(executable, handle), cudaSuccess);
  stream->synchronize();
  EXPECT_EQ(read(tested.copy()), 3u);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(GpuEarlyStartsOfPairs, AreNotBehindAnotherDevice) {
  Case tested(*backend, 1);
  const auto stream = backend->create_stream(0);
  const auto other = backend->create_stream(1);
  const auto forked = backend->create_event(0);
  const auto joined = backend->create_event(1);
  stream->begin_capture();
  stream->record(*forked);
  other->wait(*forked);
  other->advance(tested.word());
  other->record(*joined);
  stream->wait(*joined);
  stream->run(*tested.exchange);
  EXPECT_EQ(early_starts(*stream), 0);
  replay(*stream, 3);
  EXPECT_EQ(read(tested.copy()), 3u);
}

/// An exchange that waits for an arrival and then copies a word, 1, to its halo; behind it a kernel that reads that halo.
class Awaited {
 public:
  Awaited(Backend& backend, bool next_may_start)
      : page_(make_page(backend)),
        halo_(make_page(backend)),
        pinned_(backend.allocate_pinned(sizeof(Successor))),
        other_(backend.create_stream(0)),
        successor(new (pinned_->data()) Successor()),
        stream(backend.create_stream(0)) {
    load_successor();
    FlagPage& at = page(*page_);
    std::byte* source = reinterpret_cast<std::byte*>(&at.one);
    std::byte* target = reinterpret_cast<std::byte*>(&page(*halo_).epoch);
    Participant participant{.epoch = &at.epoch, .expected = {}, .outgoing = {}, .incoming = {}};
    participant.incoming.push_back({{nullptr, 7},
                                    {&at.flags[0], 7, guard("message 7"), nullptr},
                                    {StridedCopy{source, target, {8, 8, 8}, {8, 8, 8}, {1, 1, 1}, 8}}});
    FusedPlan plan;
    plan.next_may_start = next_may_start;
    plan.participants.push_back(participant);
    exchange_ = backend.fuse(0, plan);
  }

  void enqueue() const {
    stream->run(*exchange_);
    launch_successor(stream->native(), successor, &page(*halo_).epoch);
  }
  [[nodiscard]] bool starts_within(std::chrono::milliseconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      if (*static_cast<volatile std::uint32_t*>(&successor->started) != 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  void arrive() const {
    const FlagSignal arrived{&page(*page_).flags[0], 7};
    other_->signal(&page(*page_).one, {&arrived, 1});
    other_->synchronize();
    stream->synchronize();
  }

 private:
  std::unique_ptr<ShareableBuffer> page_;
  std::unique_ptr<ShareableBuffer> halo_;
  std::unique_ptr<Buffer> pinned_;
  std::unique_ptr<Stream> other_;
  std::unique_ptr<FusedExchange> exchange_;

 public:
  Successor* successor;
  std::unique_ptr<Stream> stream;
};

/// Whether the kernel starts before the arrival; after it, the kernel has started and read the halo in any case.
void expect_early_start(const Awaited& awaited, bool early) {
  EXPECT_EQ(awaited.starts_within(early ? std::chrono::seconds(20) : std::chrono::milliseconds(200)), early);
  awaited.arrive();
  EXPECT_EQ(awaited.successor->started, 1u);
  EXPECT_EQ(awaited.successor->read, 1u);
}

class GpuNextKernels : public OneGpu {};

TEST_F(GpuNextKernels, StartDuringAnExchangeThatLetsThem) {
  const Awaited awaited(*backend, true);
  awaited.enqueue();
  expect_early_start(awaited, waits_itself());
}

TEST_F(GpuNextKernels, StartDuringACapturedExchangeThatLetsThem) {
  const Awaited awaited(*backend, true);
  awaited.stream->begin_capture();
  awaited.enqueue();
  EXPECT_EQ(early_starts(*awaited.stream), 1);
  const auto graph = awaited.stream->end_capture();
  awaited.stream->launch(*graph);
  expect_early_start(awaited, waits_itself());
}

TEST_F(GpuNextKernels, StartAfterTheArrivalsOfOtherExchanges) {
  const Awaited awaited(*backend, false);
  awaited.enqueue();
  expect_early_start(awaited, false);
}

}  // namespace
}  // namespace halocline::device::test
