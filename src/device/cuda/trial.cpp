// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/trial.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>

#include "device/cuda/backoff.hpp"
#include "device/cuda/kernels.hpp"

namespace halocline::device::cuda {
namespace {

constexpr std::chrono::nanoseconds patience = std::chrono::milliseconds(200);

/// Number of signalling streams; none may share the hardware queue of the waiting stream. By default there are 8
/// queues.
constexpr std::uint32_t most_signallers = 3;

struct TrialPage {
  std::array<Flag, most_signallers + 1> flags{};  ///< the last one for the kernel after the wait
  std::uint64_t epoch = 1;
};

/// A TrialPage in device memory.
class OwnPage {
 public:
  explicit OwnPage(cudaStream_t stream) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, sizeof(TrialPage)), "cudaMalloc");
    page_ = static_cast<TrialPage*>(memory);
    const TrialPage initial;
    check(cudaMemcpyAsync(page_, &initial, sizeof initial, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  ~OwnPage() { log_failure(cudaFree(page_), "cudaFree"); }
  OwnPage(const OwnPage&) = delete;
  OwnPage& operator=(const OwnPage&) = delete;
  [[nodiscard]] TrialPage* get() const { return page_; }

 private:
  TrialPage* page_ = nullptr;
};

SignalBatch signal_of(const OwnBoard& board, Flag* flag) {
  SignalBatch signal;
  signal.board = board.get();
  signal.count = 1;
  signal.entries[0] = {flag, 0};
  return signal;
}

/// Whether a waiting kernel receives its flags from this many other streams, each of which signals one.
bool signals_get_past(const Device& device, std::uint32_t signallers, bool with_work_behind) {
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  const OwnBoard board(device.aside());  // a separate one: a failure here is not a failure of the backend
  const OwnPage page(device.aside());
  const OwnStream waiting(Priority::normal);
  std::deque<OwnStream> signalling;
  for (std::uint32_t i = 0; i < signallers; ++i) signalling.emplace_back(Priority::normal);

  WaitBatch wait;
  wait.board = board.get();
  wait.count = signallers;
  for (std::uint32_t i = 0; i < signallers; ++i) {
    wait.entries[i] = {&page.get()->flags[i], nullptr, nullptr, 0, static_cast<std::uint64_t>(patience.count()), 0};
  }
  std::uint64_t* epoch = &page.get()->epoch;
  check(launch_wait(waiting.get(), epoch, wait), "launching a wait for flags");
  if (with_work_behind) {
    check(launch_signal(waiting.get(), epoch, false, signal_of(board, &page.get()->flags[most_signallers])),
          "launching signals");
  }
  for (std::uint32_t i = 0; i < signallers; ++i) {
    check(launch_signal(signalling[i].get(), epoch, false, signal_of(board, &page.get()->flags[i])),
          "launching signals");
  }
  Backoff backoff;
  const auto busy = [](const OwnStream& stream) { return !is_done(cudaStreamQuery(stream.get()), "cudaStreamQuery"); };
  while (busy(waiting) || std::any_of(signalling.begin(), signalling.end(), busy)) backoff.pause();
  return !board.failed();
}

}  // namespace

Verdict try_overlapping_launches(const Device& device) {
  if (signals_get_past(device, 1, false)) return Verdict::of(true);
  return {false,
          "launches are serialised, by CUDA_LAUNCH_BLOCKING or by a debugging tool: a kernel that waits holds up "
          "the one that it waits for"};
}

bool try_independent_streams(const Device& device) {
  return signals_get_past(device, most_signallers, true) || signals_get_past(device, most_signallers, true);
}

}  // namespace halocline::device::cuda
