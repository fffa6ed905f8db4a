#include "device/cuda/kernels.hpp"
#include "device/cuda/system_scope.cuh"

namespace halocline::device::cuda {
namespace {

/// A poll of a flag in the device's own memory takes half a microsecond; the clock and the abort word, which is behind
/// PCIe, are looked at some 20 us apart.
constexpr unsigned polls_between_looks = 32;
/// After a few milliseconds, let other warps have the multiprocessor.
constexpr unsigned polls_before_naps = 4096;

/// What is known of a wait that is not over.
struct Waiting {
  std::uint64_t expected;
  std::uint64_t begun;
};

/// Whether to leave: aborted, late, or stopped and still not there.
__device__ bool given_up(Board* board, const WaitEntry& wait, const Waiting& waiting) {
  const bool stop = stopped(board);
  FailureRecord failure;
  failure.label = wait.label;
  failure.expected = waiting.expected;
  failure.waited_ns = nanoseconds() - waiting.begun;
  const bool late = failure.waited_ns >= wait.timeout_ns;
  const bool aborted = wait.abort != nullptr && load_relaxed(wait.abort) != 0;
  if (!stop && !late && !aborted) return false;
  // Once more, after the reason to leave was seen: who stopped this device may have refused before.
  __threadfence_system();
  failure.found = acquire(&wait.flag->epoch);
  if (failure.found >= waiting.expected) return false;
  if (stop) return true;
  failure.cause = aborted ? FailureCause::aborted : FailureCause::late;
  fail(board, failure);
  return true;
}

/// The flag is there: is it what was waited for? If not, the other side's next wait ends with an error, too.
__device__ void check_agreement(Board* board, const WaitEntry& wait, std::uint64_t expected, std::uint64_t there) {
  const std::uint64_t token = load_relaxed(&wait.flag->token);
  if (there == expected && token == wait.token) return;
  if (wait.refusal != nullptr) release(&wait.refusal->epoch, expected | refused_bit);
  FailureRecord failure;
  failure.cause = (there & refused_bit) != 0 ? FailureCause::refused : FailureCause::disagreement;
  failure.label = wait.label;
  failure.expected = expected;
  failure.expected_token = wait.token;
  failure.found = there;
  failure.found_token = token;
  fail(board, failure);
}

__global__ void __launch_bounds__(WaitBatch::most)
    wait_kernel(const std::uint64_t* epoch, const __grid_constant__ WaitBatch waits) {
  if (threadIdx.x >= waits.count || stopped(waits.board)) return;
  const WaitEntry& wait = waits.entries[threadIdx.x];
  const Waiting waiting{acquire(epoch), nanoseconds()};
  // Acquiring empties the multiprocessor's L1 cache, which others use: not at each poll, but once.
  for (unsigned polls = 1; load_relaxed(&wait.flag->epoch) < waiting.expected; ++polls) {
    if (polls % polls_between_looks != 0) continue;
    if (given_up(waits.board, wait, waiting)) return;
    if (polls > polls_before_naps) __nanosleep(200);
  }
  check_agreement(waits.board, wait, waiting.expected, acquire(&wait.flag->epoch));
}

__global__ void __launch_bounds__(SignalBatch::most)
    signal_kernel(std::uint64_t* epoch, bool advance, const __grid_constant__ SignalBatch signals) {
  __shared__ std::uint64_t value;
  __shared__ bool stop;
  if (threadIdx.x == 0) {
    stop = stopped(signals.board);
    value = acquire(epoch);
    // One writer; atomic, because other streams may read the word for their signals and waits.
    if (advance && !stop) release(epoch, ++value);
  }
  __syncthreads();
  if (stop || threadIdx.x >= signals.count) return;
  const FlagSignal& signal = signals.entries[threadIdx.x];
  // The release is at system scope and orders all that this stream wrote before, by other kernels and copies, too: they
  // happen-before this one. A fence of its own would wait a second time.
  store_relaxed(&signal.flag->token, signal.token);
  release(&signal.flag->epoch, value);
}

__global__ void __launch_bounds__(CheckBatch::most) check_kernel(const __grid_constant__ CheckBatch checks) {
  if (threadIdx.x >= checks.count || stopped(checks.board)) return;
  const CheckEntry& check = checks.entries[threadIdx.x];
  const std::uint64_t count = acquire(check.counter);
  if (count % check.modulus == check.remainder) return;
  FailureRecord failure;
  failure.cause = FailureCause::counter;
  failure.label = check.label;
  failure.expected = check.modulus;
  failure.expected_token = check.remainder;
  failure.found = count;
  fail(checks.board, failure);
}

__global__ void follow_kernel(Board* board, const FailureRecords* records) {
  if (acquire(&records->kernels.published) != 0 || acquire(&records->host.published) != 0) stop_all(board);
}

template <typename... Parameters>
cudaError_t launch(void (*kernel)(Parameters...), unsigned threads, cudaStream_t stream, Parameters... parameters) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(threads), pointers, 0, stream);
}

template <typename Kernel>
cudaError_t load(Kernel kernel) {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
}

/// Whole warps.
unsigned threads_for(std::uint32_t count) { return count <= 32 ? 32 : (count + 31) / 32 * 32; }

}  // namespace

cudaError_t launch_wait(cudaStream_t stream, const std::uint64_t* epoch, const WaitBatch& waits) {
  return launch<const std::uint64_t*, WaitBatch>(wait_kernel, threads_for(waits.count), stream, epoch, waits);
}

cudaError_t launch_signal(cudaStream_t stream, std::uint64_t* epoch, bool advance, const SignalBatch& signals) {
  return launch<std::uint64_t*, bool, SignalBatch>(signal_kernel, threads_for(signals.count), stream, epoch, advance,
                                                   signals);
}

cudaError_t launch_check(cudaStream_t stream, const CheckBatch& checks) {
  return launch<CheckBatch>(check_kernel, threads_for(checks.count), stream, checks);
}

cudaError_t launch_follow(cudaStream_t stream, Board* board, const FailureRecords* records) {
  return launch<Board*, const FailureRecords*>(follow_kernel, 1, stream, board, records);
}

cudaError_t load_flag_kernels() {
  for (const cudaError_t status : {load(wait_kernel), load(signal_kernel), load(check_kernel), load(follow_kernel)}) {
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

}  // namespace halocline::device::cuda
