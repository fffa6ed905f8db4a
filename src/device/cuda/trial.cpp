#include "device/cuda/trial.hpp"

#include <chrono>

#include "device/cuda/backoff.hpp"
#include "device/cuda/kernels.hpp"

namespace halocline::device::cuda {
namespace {

constexpr std::chrono::nanoseconds patience = std::chrono::milliseconds(200);

struct TrialPage {
  Flag flag{};
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

}  // namespace

Access try_overlapping_launches(const Device& device) {
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  const OwnBoard board(device.aside());  // its own: to fail here is no failure of the backend
  const OwnPage page(device.aside());
  const OwnStream waiting(Priority::normal);
  const OwnStream signalling(Priority::normal);

  WaitBatch wait;
  wait.board = board.get();
  wait.count = 1;
  wait.entries[0] = {&page.get()->flag, nullptr, nullptr, 0, static_cast<std::uint64_t>(patience.count()), 0};
  SignalBatch signal;
  signal.board = board.get();
  signal.count = 1;
  signal.entries[0] = {&page.get()->flag, 0};
  check(launch_wait(waiting.get(), &page.get()->epoch, wait), "launching a wait for flags");
  check(launch_signal(signalling.get(), &page.get()->epoch, false, signal), "launching signals");
  Backoff backoff;
  while (!is_done(cudaStreamQuery(waiting.get()), "cudaStreamQuery") ||
         !is_done(cudaStreamQuery(signalling.get()), "cudaStreamQuery")) {
    backoff.pause();
  }
  if (!board.failed()) return {};
  return {false,
          "launches are serialised, by CUDA_LAUNCH_BLOCKING or by a debugging tool: a kernel that waits holds up "
          "the one that it waits for"};
}

}  // namespace halocline::device::cuda
