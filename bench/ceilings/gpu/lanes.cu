// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "ceilings/gpu/lanes.cuh"

namespace halocline::bench {
namespace {

constexpr long long most_nanoseconds = 2'000'000'000;

__device__ long long nanoseconds() {
  long long now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// Ends when the host has written to the gate, and after two seconds in any case.
__global__ void wait_for_gate(const volatile int* gate) {
  const long long begin = nanoseconds();
  while (*gate == 0 && nanoseconds() - begin < most_nanoseconds) {
  }
}

struct Lane {
  OwnedStream stream;
  OwnedEvent begin;
  OwnedEvent end;
};

}  // namespace

std::vector<double> run_lanes(const std::vector<Work>& work, int count) {
  const OwnedPinned pinned = make_pinned(sizeof(int));
  volatile int* const gate = static_cast<int*>(pinned.get());
  std::vector<Lane> lanes;
  *gate = 1;
  for (const auto& one : work) {
    use_device(one.device);
    lanes.push_back({make_stream(), make_event(), make_event()});
    wait_for_gate<<<1, 1, 0, lanes.back().stream.get()>>>(const_cast<const volatile int*>(gate));
    check_launch("wait_for_gate");
    one.enqueue(lanes.back().stream.get());
    check(cudaStreamSynchronize(lanes.back().stream.get()), "warm-up");
  }
  *gate = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    use_device(work[i].device);
    const cudaStream_t stream = lanes[i].stream.get();
    wait_for_gate<<<1, 1, 0, stream>>>(const_cast<const volatile int*>(gate));
    check(cudaEventRecord(lanes[i].begin.get(), stream), "cudaEventRecord");
    for (int n = 0; n < count; ++n) work[i].enqueue(stream);
    check(cudaEventRecord(lanes[i].end.get(), stream), "cudaEventRecord");
  }
  *gate = 1;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < work.size(); ++i) {
    use_device(work[i].device);
    check(cudaStreamSynchronize(lanes[i].stream.get()), "timed work");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, lanes[i].begin.get(), lanes[i].end.get()), "cudaEventElapsedTime");
    seconds.push_back(static_cast<double>(milliseconds) * 1e-3 / count);
  }
  return seconds;
}

std::vector<double> lane_rates(const std::vector<Work>& work, int count, double bytes, int repeats) {
  std::vector<double> rates;
  for (int i = 0; i < repeats; ++i) {
    const auto seconds = run_lanes(work, count);
    rates.push_back(bytes / *std::max_element(seconds.begin(), seconds.end()));
  }
  return rates;
}

}  // namespace halocline::bench
