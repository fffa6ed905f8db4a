// SPDX-License-Identifier: BSD-3-Clause
// The operations of a stream that write and read flags.
#include <algorithm>

#include "device/cuda/kernels.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/wait_entries.hpp"
#include "device/detail/flag_checks.hpp"

namespace halocline::device::cuda {
namespace {

/// Calls launch(batch) for each batch of entries, made from items by make(item).
template <typename Batch, typename Item, typename Make, typename Launch>
void in_batches(Board* board, std::span<const Item> items, Make make, Launch launch) {
  for (std::size_t first = 0; first < items.size(); first += Batch::most) {
    const auto some = items.subspan(first, std::min(Batch::most, items.size() - first));
    Batch batch;
    batch.board = board;
    batch.count = static_cast<std::uint32_t>(some.size());
    std::transform(some.begin(), some.end(), batch.entries.begin(), make);
    launch(batch);
  }
}

}  // namespace

void CudaStream::signal(std::uint64_t* epoch, bool advance, std::span<const FlagSignal> signals) {
  check_epoch(epoch);
  check_signals(signals);
  raise_failure();
  const CurrentDevice now = current();
  Board* board = on().board().get();
  const auto launch = [&](const SignalBatch& batch) {
    check(launch_signal(handle_, epoch, advance, batch), "launching signals");
    advance = false;  // the batches after the first signal the new epoch
  };
  in_batches<SignalBatch>(
      board, signals, [](const FlagSignal& signal) { return signal; }, launch);
  if (advance) {
    SignalBatch none;
    none.board = board;
    launch(none);
  }
}

void CudaStream::advance(std::uint64_t* epoch, std::span<const FlagSignal> signals) { signal(epoch, true, signals); }

void CudaStream::signal(const std::uint64_t* epoch, std::span<const FlagSignal> signals) {
  signal(const_cast<std::uint64_t*>(epoch), false, signals);  // without `advance`, the epoch is only read
}

void CudaStream::wait(const std::uint64_t* epoch, std::span<const FlagWait> waits) {
  check_epoch(epoch);
  check_waits(waits);
  raise_failure();
  const CurrentDevice now = current();
  const WaitEntries entries(devices_->failures());
  const auto entry = [&](const FlagWait& wait) { return entries.of(wait); };
  in_batches<WaitBatch>(on().board().get(), waits, entry, [&](const WaitBatch& batch) {
    check(launch_wait(handle_, epoch, batch), "launching a wait for flags");
  });
}

void CudaStream::expect(std::span<const CounterCheck> checks) {
  for (const CounterCheck& check : checks) check_counter(check);
  raise_failure();
  const CurrentDevice now = current();
  const WaitEntries entries(devices_->failures());
  const auto entry = [&](const CounterCheck& check) { return entries.of(check); };
  in_batches<CheckBatch>(on().board().get(), checks, entry, [&](const CheckBatch& batch) {
    check(launch_check(handle_, batch), "launching a check of counters");
  });
}

}  // namespace halocline::device::cuda
