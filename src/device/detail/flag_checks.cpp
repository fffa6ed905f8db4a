// SPDX-License-Identifier: BSD-3-Clause
#include "device/detail/flag_checks.hpp"

#include <fmt/format.h>

#include <atomic>

#include "halocline/error.hpp"

namespace halocline::device {
namespace {

constexpr std::int64_t word_bytes = 4;
constexpr std::size_t word_alignment = std::atomic_ref<std::uint64_t>::required_alignment;

void check_pointer(const void* pointer, std::size_t alignment, const char* what) {
  if (pointer == nullptr) throw InvalidArgument(fmt::format("{} is null", what));
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0) {
    throw InvalidArgument(fmt::format("{} is at {}; allowed are multiples of {} bytes", what, pointer, alignment));
  }
}

}  // namespace

void check_epoch(const std::uint64_t* epoch) { check_pointer(epoch, word_alignment, "the epoch"); }

void check_waits(std::span<const FlagWait> waits) {
  for (const FlagWait& wait : waits) {
    check_pointer(wait.flag, alignof(Flag), "a flag to wait for");
    if (wait.guard == nullptr) throw InvalidArgument("the guard of a wait for a flag is null");
  }
}

void check_signals(std::span<const FlagSignal> signals) {
  for (const FlagSignal& signal : signals) check_pointer(signal.flag, alignof(Flag), "a flag to signal");
}

void check_counter(const CounterCheck& check) {
  check_pointer(check.counter, word_alignment, "the counter of a check");
  if (check.modulus == 0) throw InvalidArgument("the modulus of a counter's check is 0; allowed is 1 or more");
}

namespace {

/// `cells`: the address and the strides of the side that is not where packets land.
void check_packets(const PacketRoom& room, const StridedCopy& copy, const std::byte* cells,
                   const std::array<std::int64_t, 3>& stride) {
  for (const std::byte* buffer : room.buffers) check_pointer(buffer, alignof(Flag), "room for packets");
  check_pointer(cells, word_bytes, "a row of packets");
  const bool dense = stride[0] == copy.element_bytes || copy.extent.x == 1;
  if (dense && copy.element_bytes % word_bytes == 0 && stride[1] % word_bytes == 0 && stride[2] % word_bytes == 0) {
    return;
  }
  throw InvalidArgument(fmt::format(
      "rows that go as packets have elements of {} bytes with strides {}, {} and {}; allowed are contiguous rows of "
      "{}-byte words",
      copy.element_bytes, stride[0], stride[1], stride[2], word_bytes));
}

/// The flags of a port.
void check_turns(const FlagWait& wait, const FlagSignal& signal) {
  check_waits({&wait, 1});
  check_signals({&signal, 1});
  check_pointer(wait.odd, alignof(Flag), "the flag of odd exchanges to wait for");
  check_pointer(signal.odd, alignof(Flag), "the flag of odd exchanges to signal");
}

}  // namespace

void check_fused_plan(const FusedPlan& plan) {
  if (plan.multiprocessors < 0) {
    throw InvalidArgument(
        fmt::format("multiprocessors is {}; allowed is 0 (all of use) or more", plan.multiprocessors));
  }
  for (const Participant& participant : plan.participants) {
    check_epoch(participant.epoch);
    for (const CounterCheck& check : participant.expected) check_counter(check);
    for (const OutgoingPart& out : participant.outgoing) {
      check_waits({&out.ready, 1});
      check_signals({&out.arrived, 1});
      if (!out.packets.offered()) continue;
      for (const StridedCopy& copy : out.copies) check_packets(out.packets, copy, copy.source, copy.source_stride);
    }
    for (const IncomingPart& in : participant.incoming) {
      if (in.ready.flag != nullptr) check_signals({&in.ready, 1});
      check_waits({&in.arrived, 1});
      if (!in.packets.offered()) continue;
      for (const StridedCopy& copy : in.copies) check_packets(in.packets, copy, copy.target, copy.target_stride);
    }
    for (const Put& put : participant.puts) {
      check_turns(put.ready, put.posted);
    }
    for (const Landing& landing : participant.landings) {
      check_turns(landing.arrived, landing.ready);
    }
  }
}

std::string aborted_text(const std::string& label, std::uint64_t expected, std::uint64_t there) {
  return fmt::format("{}: given up at epoch {} (the flag is at {}), because the exchange was aborted", label, expected,
                     there);
}

std::string late_text(const std::string& label, Duration waited, std::uint64_t expected, std::uint64_t there) {
  return fmt::format("{}: not there after {:.3g} s at epoch {} (the flag is at {})", label,
                     std::chrono::duration<double>(waited).count(), expected, there);
}

std::string refused_text(const std::string& label, std::uint64_t there) {
  return fmt::format(
      "{}: refused by the other side at epoch {}, because the two disagree on which fields, "
      "buffers, directions and depths are exchanged",
      label, there & ~refused_bit);
}

std::string disagreement_text(const std::string& label, std::uint64_t expected, std::uint64_t expected_token,
                              std::uint64_t there, std::uint64_t token) {
  return fmt::format(
      "{}: the two sides disagree on which fields, buffers, directions and depths are exchanged: expected epoch {} "
      "with "
      "token {:#018x}, found epoch {} with {:#018x}",
      label, expected, expected_token, there, token);
}

std::string counter_text(const std::string& otherwise, std::uint64_t count, std::uint64_t modulus,
                         std::uint64_t remainder) {
  return fmt::format("{} (count {} modulo {}, expected {})", otherwise, count, modulus, remainder);
}

}  // namespace halocline::device
