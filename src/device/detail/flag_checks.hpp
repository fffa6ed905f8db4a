// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/clock.hpp"
#include "device/flag.hpp"
#include "device/fused_exchange.hpp"

// What all backends check of flags before they enqueue, and say when a wait for one fails.
namespace halocline::device {

/// Throws InvalidArgument where a pointer is null or not aligned.
void check_epoch(const std::uint64_t* epoch);
void check_waits(std::span<const FlagWait> waits);
void check_signals(std::span<const FlagSignal> signals);
/// Throws InvalidArgument where the counter is null or not aligned, or the modulus 0.
void check_counter(const CounterCheck& check);
/// Its epochs, counters and flags, as the above, and what is offered to go as packets.
void check_fused_plan(const FusedPlan& plan);

/// `there` is the flag's epoch when the wait failed, `expected` the one that was waited for.
[[nodiscard]] std::string aborted_text(const std::string& label, std::uint64_t expected, std::uint64_t there);
[[nodiscard]] std::string late_text(const std::string& label, Duration waited, std::uint64_t expected,
                                    std::uint64_t there);
[[nodiscard]] std::string refused_text(const std::string& label, std::uint64_t there);
[[nodiscard]] std::string disagreement_text(const std::string& label, std::uint64_t expected,
                                            std::uint64_t expected_token, std::uint64_t there, std::uint64_t token);
[[nodiscard]] std::string counter_text(const std::string& otherwise, std::uint64_t count, std::uint64_t modulus,
                                       std::uint64_t remainder);

}  // namespace halocline::device
