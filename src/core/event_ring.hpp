// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/recording.hpp"

namespace halocline {

/// The last events of a rank, without locks and without allocation: any thread may note events and read them at the same time.
///
/// A slot is four words. A writer takes the slot's last word first (busy), stores the others, and then the last one with the
/// event's place in the sequence. A reader that saw a word of a later event therefore finds the last word changed, and leaves the
/// event out. An event whose slot another writer still has, after a whole round of the ring, is dropped.
template <std::size_t Capacity>
class EventRingOf {
 public:
  static constexpr std::size_t capacity = Capacity;

  void note(const RecordedEvent& event) noexcept {
    const std::uint64_t place = next_.fetch_add(1, std::memory_order_relaxed);
    Slot& slot = slots_[place % capacity];
    if (slot.what.exchange(busy, std::memory_order_acquire) == busy) return;
    slot.time.store(static_cast<std::uint64_t>(event.time.count()), std::memory_order_release);
    slot.number.store(event.number, std::memory_order_release);
    slot.whom.store(packed(static_cast<std::uint32_t>(event.message), static_cast<std::uint32_t>(event.peer)),
                    std::memory_order_release);
    slot.what.store(
        packed(mark_of(place), std::uint32_t{event.exchange} << 8U | static_cast<std::uint32_t>(event.kind)),
        std::memory_order_release);
  }

  /// Events that were noted so far, with those that the ring no longer holds.
  [[nodiscard]] std::uint64_t noted() const { return next_.load(std::memory_order_acquire); }

  /// What the ring holds, the oldest first. Events that are written meanwhile are left out.
  [[nodiscard]] std::vector<RecordedEvent> events() const {
    const std::uint64_t end = noted();
    std::vector<RecordedEvent> all;
    all.reserve(capacity);
    for (std::uint64_t place = end > capacity ? end - capacity : 0; place < end; ++place) {
      const Slot& slot = slots_[place % capacity];
      const std::uint64_t what = slot.what.load(std::memory_order_acquire);
      RecordedEvent event;
      event.time = Duration(static_cast<Duration::rep>(slot.time.load(std::memory_order_acquire)));
      event.number = slot.number.load(std::memory_order_acquire);
      const std::uint64_t whom = slot.whom.load(std::memory_order_acquire);
      if (what == busy || upper(what) != mark_of(place) || slot.what.load(std::memory_order_relaxed) != what) continue;
      event.message = static_cast<std::int32_t>(upper(whom));
      event.peer = static_cast<std::int32_t>(lower(whom));
      event.exchange = static_cast<std::uint8_t>(lower(what) >> 8U);
      event.kind = static_cast<EventKind>(lower(what) & 0xffU);
      all.push_back(event);
    }
    return all;
  }

 private:
  struct alignas(32) Slot {
    std::atomic<std::uint64_t> time, number, whom, what;
  };
  static_assert(sizeof(Slot) == 32);
  static constexpr std::uint64_t busy = ~std::uint64_t{0};

  static constexpr std::uint64_t packed(std::uint32_t upper, std::uint32_t lower) {
    return std::uint64_t{upper} << 32U | lower;
  }
  static constexpr std::uint32_t upper(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }
  static constexpr std::uint32_t lower(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  /// Differs between the events of one slot, and from the 0 of a slot without one.
  static constexpr std::uint32_t mark_of(std::uint64_t place) {
    return static_cast<std::uint32_t>(place / capacity + 1) & 0x7fffffffU;
  }

  std::atomic<std::uint64_t> next_{0};
  std::array<Slot, capacity> slots_{};
};

using EventRing = EventRingOf<4096>;

}  // namespace halocline
