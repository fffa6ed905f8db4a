// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>

#include "comm/rank_group.hpp"
#include "core/clock.hpp"
#include "core/serialise.hpp"

namespace halocline::comm {

/// Waits until done() returns true: yields first, then sleeps. Throws DeadlineError "what" after the deadline.
void wait_until(const std::function<bool()>& done, const Deadline& deadline, std::string_view what);

/// The same for a wait for other ranks of a group: the error also names those that do not wait, too (RankGroup::missing), and the Phase.
void wait_for_others(RankGroup& comm, const std::function<bool()>& done, Duration timeout, std::string_view what);

/// How long before its end a wait of that duration asks who is missing: never if it is short.
[[nodiscard]] constexpr Duration time_for_roll_call(Duration timeout) {
  constexpr Duration most = std::chrono::milliseconds(150);
  return timeout >= 3 * most ? most : Duration::zero();
}

/// An error as ranks send it to each other.
struct Failure {
  int kind = 0;  ///< of ErrorKind; 0 for none
  std::string message;
};
auto members(MaybeConst<Failure> auto& failure) { return std::tie(failure.kind, failure.message); }
[[nodiscard]] Failure failure_of(const std::exception_ptr& error);

/// Collective: compares the outcomes of a step (nullptr for success). Returns if all ranks succeeded; otherwise throws the same
/// error on all ranks: kind and message of the lowest rank that failed, after "rank R: ". Errors of waits (deadline, communication)
/// count only where there is no other, as they follow from another rank's. Ranks that are in different calls (Phase) throw InvalidArgument
/// that names the calls: each collective call of a domain begins with this.
void agree(RankGroup& comm, std::exception_ptr mine);

/// Runs a local step on each rank, then agrees. The step must not communicate over comm.
template <typename Step>
void agree_on(RankGroup& comm, Step&& step) {
  std::exception_ptr mine;
  try {
    step();
  } catch (...) {
    mine = std::current_exception();
  }
  agree(comm, mine);
}

}  // namespace halocline::comm
