// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detail/watchdog.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "comm/detail/job_processes.hpp"
#include "comm/launcher.hpp"
#include "core/log.hpp"
#include "core/removed_file.hpp"
#include "core/short_text.hpp"

namespace halocline::comm {
namespace {

/// Ranks that wait for the same rank would end at the same time. Open MPI's launcher (4.1.4) can then deadlock, or
/// crash, in its PMIx server; if one rank ends first, the launcher ends the others.
Duration turn_of_this_process() {
  constexpr int most_turns = 16;
  return std::chrono::milliseconds(200) * (1 + number_in_job() % most_turns);
}

ShortText after(const std::exception_ptr& earlier) {
  try {
    if (earlier) std::rethrow_exception(earlier);
  } catch (const std::exception& error) {
    return ShortText(". Its first error: {}", error.what());
  } catch (...) {
  }
  return ShortText("");
}

}  // namespace

Watchdog::Watchdog(std::string_view call, Duration limit, std::exception_ptr earlier) noexcept
    : call_(call), limit_(limit), earlier_(std::move(earlier)) {
  // Flushed here and not by the thread: the call that hangs may hold a lock on a stream.
  std::fflush(nullptr);
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::exception& error) {
    log(LogLevel::warning, ShortText("{} has no deadline: its thread cannot be started: {}", call_, error.what()));
  }
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard held(mutex_);
    done_ = true;
  }
  returned_.notify_one();
  thread_.join();
}

void Watchdog::watch() {
  show_call(call_);
  std::unique_lock held(mutex_);
  const auto done = [this] { return done_; };
  if (returned_.wait_for(held, limit_, done)) return;
  // Before the first of the others ends.
  std::string missing;
  try {
    missing = missing_from(call_);
  } catch (const std::exception&) {  // out of memory: they are not named
  }
  // Waits twice: if this process was stopped meanwhile, the call may be about to return.
  if (returned_.wait_for(held, std::chrono::milliseconds(50), done)) return;
  log(LogLevel::error,
      ShortText(
          "{} has not returned after its timeout of {} s: {}; this process ends, as MPI cannot give the call up{}",
          call_, std::chrono::duration<double>(limit_).count(),
          missing.empty() ? "another rank does not call it, or is gone" : missing, std::string_view(after(earlier_))));
  held.unlock();
  RemovedFile::remove_all();  // before another rank ends, after which the launcher ends this one
  std::this_thread::sleep_for(turn_of_this_process());
  std::_Exit(EXIT_FAILURE);
}

}  // namespace halocline::comm
