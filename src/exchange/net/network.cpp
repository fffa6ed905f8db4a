// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/net/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "comm/agree.hpp"
#include "core/log.hpp"
#include "core/short_text.hpp"
#include "core/start_thread.hpp"
#include "exchange/detail/tags.hpp"
#include "exchange/net/proxy.hpp"
#include "exchange/net/ucx/ucx.hpp"
#include "halocline/error.hpp"

namespace halocline::exchange::net {
namespace {

/// After something has moved the thread looks again without naps for so long: the shortest nap lasts 50 us, as long as an exchange.
constexpr Duration longest_look = std::chrono::microseconds(200);
/// While an exchange is under way, for so long: a large message moves in many small steps that end in calls of the engine and are not
/// seen before the last.
constexpr Duration longest_look_under_way = std::chrono::milliseconds(20);
constexpr Duration shortest_nap = std::chrono::microseconds(5);
constexpr Duration longest_nap = std::chrono::microseconds(200);
/// How long a rank that has failed waits until others have taken the news.
constexpr Duration farewell = std::chrono::milliseconds(200);

}  // namespace

Network::Network(comm::RankGroup& comm, device::Backend& backend, AbortWord& abort, routing::NetEngine wanted)
    : backend_(&backend), abort_(&abort), me_(comm.rank()), threaded_(comm.concurrent()) {
  using routing::NetEngine;
  const auto on_all = [&comm](bool yes) {
    return comm.all_reduce(std::int64_t{yes ? 1 : 0}, comm::Reduction::min) != 0;
  };
  if (!on_all(threaded_.yes) && threaded_.yes)
    threaded_ = Verdict::of(false, "MPI was not initialised with MPI_THREAD_MULTIPLE on all ranks");
  bool by_ucx = wanted == NetEngine::ucx;
  if (by_ucx) {
    comm::agree_on(comm, [] {
      if (!ucx_usable().yes) throw CapabilityError(fmt::format("net by ucx: {}", ucx_usable().why_not));
    });
  } else if (wanted == NetEngine::automatic && !threaded_.yes) {
    by_ucx = on_all(ucx_usable().yes);
  }
  auto group = comm.split(0, static_cast<int>(me_.value()));
  if (by_ucx) {
    messages_ = make_ucx_messages(std::move(group));
    threaded_ = Verdict::of(true);
  } else {
    messages_ = std::make_unique<GroupMessages>(std::move(group));
  }
  engine_ = std::make_unique<Proxy>(*messages_, backend);
  if (me_ == rank_id(0)) {
    log(LogLevel::info, fmt::format("net: messages by {}, moved by {}", messages_->name(),
                                    threaded_.yes ? "a thread of each rank" : "the host, while it waits"));
  }
}

int Network::next_tag(rank_id sender, rank_id receiver, bool sends) {
  return tags::port(tags_[{sender, receiver, sends}]++);
}

void Network::start(comm::RankGroup& comm) {
  comm::agree_on(comm, [&] {
    if (!threaded_.yes) return;
    thread_ = start_thread("the mover of net's messages", [this, caller = messages_->caller()] { run(caller.get()); });
  });
  started_ = true;
  phase_ = Phase::moving;
  phase_.notify_one();
}

bool Network::move(const comm::ConcurrentCaller* caller) noexcept {
  try {
    if (caller != nullptr && caller->must_end()) {
      throw CommunicationError("MPI_Finalize was called while a domain with net was open; close() it before");
    }
    return engine_->progress();
  } catch (...) {
    abort_->raise(me_, std::current_exception());
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    return true;
  }
}

void Network::run(const comm::ConcurrentCaller* caller) noexcept {
  phase_.wait(Phase::preparing);
  Duration nap = shortest_nap;
  Duration moved_at = Clock::steady().now();
  while (phase_ == Phase::moving) {
    if (abort_->raised()) return tell_others();
    const bool moved = move(caller);
    const Duration now = Clock::steady().now();
    if (moved) {
      moved_at = now;
      nap = shortest_nap;
    } else if (now - moved_at < (engine_->under_way() ? longest_look_under_way : longest_look)) {
      std::this_thread::yield();
    } else {
      nap = std::min(2 * nap, longest_nap);
      std::this_thread::sleep_for(nap);
    }
  }
}

void Network::tell_others() noexcept {
  if (std::exchange(told_, true)) return;
  try {
    engine_->give_up(abort_->reason());
    const Deadline deadline(Clock::steady(), farewell);
    while (!engine_->flush() && !deadline.expired()) std::this_thread::sleep_for(longest_nap);
  } catch (const std::exception&) {  // they end at their own deadlines
  }
}

bool Network::progress(std::uint64_t epoch) {
  while (engine_->progress()) {
  }
  return engine_->done(epoch);
}

void Network::check() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void Network::give_up() noexcept {
  if (!started_) return;
  if (thread_.joinable()) {
    thread_.join();  // it has seen the abort word
  } else {
    tell_others();
  }
}

void Network::stop() noexcept {
  phase_ = Phase::stopping;
  phase_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Network::close(const Deadline& deadline) {
  stop();
  check();
  if (started_ && !backend_->wait_until([&] { return engine_->leave(); }, deadline)) {
    throw DeadlineError("the other ends of this rank's ports (net) have not left before the deadline of close()");
  }
  started_ = false;  // the other ends have left: no failure after this is theirs
  engine_.reset();
  messages_->close(deadline);
}

}  // namespace halocline::exchange::net
