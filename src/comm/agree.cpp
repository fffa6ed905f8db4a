// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agree.hpp"

#include "comm/detail/runtime.hpp"
#include "comm/gather.hpp"
#include "comm/in_step.hpp"
#include "comm/phase.hpp"
#include "comm/short_waits.hpp"
#include "core/clock.hpp"
#include "core/ranks_text.hpp"
#include "core/serialise.hpp"
#include "core/wait_hook.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace halocline::comm {
namespace {

/// The message of a rank in agree().
struct Outcome {
  Failure error;
  std::string call;  ///< in which it agrees
};

auto members(MaybeConst<Outcome> auto& outcome) { return std::tie(outcome.error, outcome.call); }

/// Throws if the ranks are not in the same call.
void check_same_call(const std::vector<Outcome>& outcomes) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> calls;  // in the order of their first ranks
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    const std::string& call = outcomes[rank].call;
    auto found = std::ranges::find(calls, call, &std::pair<std::string, std::vector<std::size_t>>::first);
    if (found == calls.end()) found = calls.insert(found, {call, {}});
    found->second.push_back(rank);
  }
  if (calls.size() <= 1) return;
  std::string text;
  for (const auto& [call, ranks] : calls) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", ranks_text(ranks), call.empty() ? "another" : call);
  }
  throw InvalidArgument(
      fmt::format("the ranks are in different collective calls ({}); allowed is the same order on all ranks", text));
}

bool done_before(const std::function<bool()>& done, const Deadline& deadline) {
  constexpr int yields = 200;
  constexpr Duration longest = std::chrono::microseconds(200);
  Duration pause = std::chrono::microseconds(1);
  WaitHook hook;
  for (int round = 0;; ++round) {
    if (done()) return true;
    // Tested once more after the deadline: if this process was stopped meanwhile, the wait may be over.
    if (deadline.expired()) return done();
    if (round < yields) {
      std::this_thread::yield();
    } else {
      hook.poll();
      runtime::attend();
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, longest);
    }
  }
}

/// Whether this rank has waited for others in vain.
bool waited_in_vain(const std::exception_ptr& mine) {
  try {
    if (mine) std::rethrow_exception(mine);
  } catch (const DeadlineError&) {
    return true;
  } catch (...) {
  }
  return false;
}

}  // namespace

void wait_until(const std::function<bool()>& done, const Deadline& deadline, std::string_view what) {
  if (!done_before(done, deadline)) throw DeadlineError(fmt::format("{} was not done before its deadline", what));
}

void wait_for_others(RankGroup& comm, const std::function<bool()>& done, Duration timeout, std::string_view what) {
  const auto late = [&](const std::string& missing) {
    const std::string_view phase = Phase::outermost();
    return DeadlineError(fmt::format("{}{}{} was not done before its deadline{}{}", missing,
                                     missing.empty() ? "" : ": ", what, phase.empty() ? "" : " in ", phase));
  };
  const Deadline deadline(comm.clock(), timeout);
  while (comm.looks_each() > Duration::zero() && !deadline.expired()) {
    if (done_before(done, Deadline(comm.clock(), std::min(comm.looks_each(), timeout)))) return;
    if (const std::string lost = comm.lost(); !lost.empty()) throw late(lost);
  }
  if (done_before(done, Deadline(comm.clock(), timeout - time_for_roll_call(timeout)))) return;
  const std::string missing = time_for_roll_call(timeout) > Duration::zero() ? comm.missing() : std::string();
  if (!done_before(done, deadline)) throw late(missing);
}

Failure failure_of(const std::exception_ptr& error) {
  const auto of = [](ErrorKind kind, std::string_view text) {
    return Failure{static_cast<int>(kind), std::string(text)};
  };
  if (!error) return {};
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return of(known.kind(), known.what());
  } catch (const std::bad_alloc&) {
    return of(ErrorKind::resource, "out of memory");
  } catch (const std::exception& other) {
    return of(ErrorKind::internal, other.what());
  } catch (...) {
    return of(ErrorKind::internal, "an exception of an unknown type");
  }
}

void agree(RankGroup& comm, std::exception_ptr mine) {
  std::vector<Outcome> outcomes;
  try {
    // After a wait in vain the others, which have waited as long, are here soon, or never.
    std::optional<ShortWaits> soon;
    if (waited_in_vain(mine)) soon.emplace(comm, std::chrono::milliseconds(250));
    outcomes = in_step(comm, [&] { return gather(comm, Outcome{failure_of(mine), std::string(Phase::innermost())}); });
  } catch (...) {
    // The other ranks cannot be reached; this rank's own error is more informative than the failure to send it.
    if (mine) std::rethrow_exception(mine);
    throw;
  }
  check_same_call(outcomes);
  const auto throw_first = [&](const auto& counts) {
    for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
      const auto& [kind, message] = outcomes[rank].error;
      if (kind == 0 || !counts(static_cast<ErrorKind>(kind))) continue;
      throw_error(static_cast<ErrorKind>(kind), fmt::format("rank {}: {}", rank, message));
    }
  };
  throw_first([](ErrorKind kind) { return kind != ErrorKind::deadline && kind != ErrorKind::communication; });
  throw_first([](ErrorKind) { return true; });
}

}  // namespace halocline::comm
