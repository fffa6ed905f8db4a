// SPDX-License-Identifier: BSD-3-Clause
#include <cuda/atomic>
#include <functional>
#include <string>

#include "ceilings/gpu/parts.cuh"
#include "support/sampling.hpp"

namespace halocline::bench {
namespace {

constexpr int repeats = 7;
constexpr int rounds = 200;

__global__ void nothing() {}

/// Seconds of one call, over many, several times.
std::vector<double> timed(const std::function<void()>& step, int count = rounds) {
  for (int i = 0; i < count / 10 + 1; ++i) step();
  std::vector<double> seconds;
  for (int r = 0; r < repeats; ++r) {
    const double begin = now();
    for (int i = 0; i < count; ++i) step();
    seconds.push_back((now() - begin) / count);
  }
  return seconds;
}

void synchronize(cudaStream_t stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

void launches(Ceilings& ceilings) {
  use_device(0);
  const OwnedStream stream = make_stream();
  ceilings.time("latency", "launch of an empty kernel and synchronise", 0, timed([&] {
                  nothing<<<1, 1, 0, stream.get()>>>();
                  synchronize(stream.get());
                }));
  ceilings.time("latency", "launch of an empty kernel, issued only", 0,
                timed([&] { nothing<<<1, 1, 0, stream.get()>>>(); }));
  synchronize(stream.get());
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  nothing<<<1, 1, 0, stream.get()>>>();
  const OwnedGraph graph = end_capture(stream.get());
  ceilings.time("latency", "graph of one kernel, launch and synchronise", 0, timed([&] {
                  check(cudaGraphLaunch(graph.get(), stream.get()), "cudaGraphLaunch");
                  synchronize(stream.get());
                }));
}

void small_copies(Ceilings& ceilings) {
  constexpr std::size_t most = std::size_t{8} << 20;
  use_device(1);
  const OwnedMemory there = make_memory(most);
  use_device(0);
  const OwnedMemory here = make_memory(most);
  const OwnedStream stream = make_stream();
  const auto copy = [&](std::size_t bytes) {
    check(cudaMemcpyAsync(there.get(), here.get(), bytes, cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
  };
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{65536}, std::size_t{1} << 20, most}) {
    ceilings.time("latency", "peer copy 0->1 and synchronise", static_cast<double>(bytes), timed([&] {
                    copy(bytes);
                    synchronize(stream.get());
                  }));
  }
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  for (int i = 0; i < 26; ++i) copy(4096);
  const OwnedGraph graph = end_capture(stream.get());
  ceilings.time("latency", "graph of 26 serial 4 KB peer copies, launch and synchronise", 26.0 * 4096, timed([&] {
                  check(cudaGraphLaunch(graph.get(), stream.get()), "cudaGraphLaunch");
                  synchronize(stream.get());
                }));
}

/// An event recorded on one GPU that a stream of the other waits for, with an empty kernel in between.
void event_hops(Ceilings& ceilings) {
  OwnedStream streams[2];
  OwnedEvent events[2];
  for (int device = 0; device < 2; ++device) {
    use_device(device);
    streams[device] = make_stream();
    events[device] = make_event();
  }
  constexpr int hops = 100;
  auto seconds = timed(
      [&] {
        for (int hop = 0; hop < hops; ++hop) {
          const int from = hop % 2;
          use_device(from);
          nothing<<<1, 1, 0, streams[from].get()>>>();
          check(cudaEventRecord(events[from].get(), streams[from].get()), "cudaEventRecord");
          use_device(1 - from);
          check(cudaStreamWaitEvent(streams[1 - from].get(), events[from].get(), 0), "cudaStreamWaitEvent");
        }
        synchronize(streams[0].get());
        synchronize(streams[1].get());
      },
      10);
  for (double& value : seconds) value /= hops;
  ceilings.time("latency", "event and cross-device wait with an empty kernel, a hop", 0, seconds);
}

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

/// Answers each value of the own flag in the peer's. Gives up after about a second, and says so in *late.
__global__ void ping_pong(unsigned* mine, unsigned* theirs, unsigned first, unsigned count, unsigned* late) {
  const long long patience = 2'000'000'000;  // clocks
  for (unsigned i = 1; i <= count; ++i) {
    if (first != 0) Word(*theirs).store(i, cuda::memory_order_release);
    const long long begin = clock64();
    while (Word(*mine).load(cuda::memory_order_acquire) < i) {
      if (clock64() - begin > patience) {
        *late = 1;
        return;
      }
    }
    if (first == 0) Word(*theirs).store(i, cuda::memory_order_release);
  }
}

void flags(Ceilings& ceilings) {
  constexpr unsigned count = 2000;
  std::vector<double> seconds;
  OwnedStream streams[2];
  OwnedMemory words[2];
  for (int device = 0; device < 2; ++device) {
    use_device(device);
    streams[device] = make_stream();
    words[device] = make_memory(4096);
    // Loads the kernel: loading it while the other GPU's instance waits could wait for that.
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, ping_pong), "cudaFuncGetAttributes");
  }
  const OwnedPinned pinned = make_pinned(sizeof(unsigned));
  auto* const late = static_cast<unsigned*>(pinned.get());
  *late = 0;
  const auto word = [&](int device) { return static_cast<unsigned*>(words[device].get()); };
  for (int r = -1; r < repeats; ++r) {
    for (int device = 0; device < 2; ++device) {
      use_device(device);
      check(cudaMemset(words[device].get(), 0, 4096), "cudaMemset");
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    const double begin = now();
    for (int device = 0; device < 2; ++device) {
      use_device(device);
      ping_pong<<<1, 1, 0, streams[device].get()>>>(word(device), word(1 - device), device == 0 ? 1U : 0U, count, late);
      check_launch("ping_pong");
    }
    synchronize(streams[0].get());
    synchronize(streams[1].get());
    // Two launches and synchronisations are some 20 us of the several thousand.
    if (r >= 0) seconds.push_back((now() - begin) / (2.0 * count));
  }
  if (*late != 0) throw DeadlineError("a flag that one GPU wrote was not seen by the other within a second");
  ceilings.time("latency", "flag from GPU to GPU, one way (ping-pong over 2)", 4, seconds);
}

}  // namespace

void measure_latencies(Ceilings& ceilings) {
  launches(ceilings);
  if (gpu_count() < 2) return;
  enable_peer(0, 1);
  enable_peer(1, 0);
  small_copies(ceilings);
  event_hops(ceilings);
  flags(ceilings);
}

}  // namespace halocline::bench
