// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/flags.hpp"

#include <algorithm>
#include <atomic>

#include "device/detail/flag_checks.hpp"

namespace halocline::device::host {
namespace {

using Word = std::atomic_ref<std::uint64_t>;

/// C++20 has no atomic_ref of a const object; nothing is stored through it.
std::uint64_t load(const std::uint64_t& word, std::memory_order order) {
  return Word(const_cast<std::uint64_t&>(word)).load(order);
}

bool aborted(const FlagWait& wait) {
  return wait.guard->abort != nullptr && wait.guard->abort->load(std::memory_order_acquire) != 0;
}

/// A timeout near the end of time must not overflow.
Duration deadline(const FlagWait& wait, const FlagProgress& progress) {
  const Duration room = Duration::max() - progress.since;
  return wait.guard->timeout >= room ? Duration::max() : progress.since + wait.guard->timeout;
}

void check_in_time(const FlagWait& wait, const FlagProgress& progress, std::uint64_t there, Duration now) {
  if (aborted(wait)) {
    throw CommunicationError(aborted_text(wait.guard->label, progress.epoch, there));
  }
  if (now >= deadline(wait, progress)) {
    throw DeadlineError(late_text(wait.guard->label, now - progress.since, progress.epoch, there));
  }
}

/// The other side's next wait ends with an error instead of at its deadline.
void refuse(const FlagWait& wait, std::uint64_t epoch) {
  if (wait.refusal == nullptr) return;
  Word(wait.refusal->token).store(wait.token, std::memory_order_relaxed);
  Word(wait.refusal->epoch).store(epoch | refused_bit, std::memory_order_release);
}

/// The flag is there: is it what was waited for?
void check_agreement(const FlagWait& wait, std::uint64_t expected, std::uint64_t there) {
  const std::uint64_t token = load(wait.of(expected).token, std::memory_order_relaxed);
  if (there == expected && token == wait.token) return;
  refuse(wait, expected);
  if ((there & refused_bit) != 0) {
    throw Disagreement(refused_text(wait.guard->label, there), {wait.token, token});
  }
  throw Disagreement(disagreement_text(wait.guard->label, expected, wait.token, there, token), {wait.token, token});
}

}  // namespace

void require(const CounterCheck& check) {
  const std::uint64_t count = load(*check.counter, std::memory_order_acquire);
  if (count % check.modulus == check.remainder) return;
  throw ProtocolError(counter_text(check.otherwise, count, check.modulus, check.remainder));
}

void store_signals(const std::uint64_t* epoch, std::span<const FlagSignal> signals) {
  const std::uint64_t value = load(*epoch, std::memory_order_acquire);
  for (const FlagSignal& signal : signals) {
    Flag& flag = signal.of(value);
    Word(flag.token).store(signal.token, std::memory_order_relaxed);
    Word(flag.epoch).store(value, std::memory_order_release);
  }
}

bool advance_waits(const FlagWaits& flags, FlagProgress& progress, Duration now) {
  if (!progress.begun) {
    progress = {true, load(*flags.epoch, std::memory_order_acquire), now, 0};
  }
  for (; progress.next < flags.waits.size(); ++progress.next) {
    const FlagWait& wait = flags.waits[progress.next];
    const std::uint64_t there = load(wait.of(progress.epoch).epoch, std::memory_order_acquire);
    if (there < progress.epoch) break;
    check_agreement(wait, progress.epoch, there);
  }
  for (std::size_t i = progress.next; i < flags.waits.size(); ++i) {
    const std::uint64_t there = load(flags.waits[i].of(progress.epoch).epoch, std::memory_order_acquire);
    if (there < progress.epoch) check_in_time(flags.waits[i], progress, there, now);
  }
  return progress.next == flags.waits.size();
}

Duration first_deadline(const FlagWaits& flags, const FlagProgress& progress) {
  Duration first = Duration::max();
  for (std::size_t i = progress.next; i < flags.waits.size(); ++i) {
    first = std::min(first, deadline(flags.waits[i], progress));
  }
  return first;
}

}  // namespace halocline::device::host
