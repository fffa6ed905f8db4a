// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/nccl/communicators.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "comm/agree.hpp"
#include "core/log.hpp"
#include "core/serialise.hpp"
#include "core/short_text.hpp"
#include "core/start_thread.hpp"
#include "halocline/error.hpp"

namespace halocline::exchange::nccl {
namespace {

/// Between two looks: a twentieth of the timeout, within these bounds.
constexpr Duration shortest_pause = std::chrono::milliseconds(2);
constexpr Duration longest_pause = std::chrono::milliseconds(50);

/// The messages that have not begun to arrive, or all; a few, so that the error stays readable.
std::string late(std::span<const std::string> labels, std::span<const std::uint64_t> arrived, std::uint64_t begun) {
  constexpr std::size_t most = 4;
  const bool none_is_late = std::ranges::all_of(arrived, [&](std::uint64_t epoch) { return epoch >= begun; });
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i < arrived.size() && arrived[i] >= begun && !none_is_late) continue;
    if (++count <= most) text += fmt::format("{}{}", text.empty() ? "" : "; ", labels[i]);
  }
  return count > most ? fmt::format("{}; {} more", text, count - most) : text;
}

}  // namespace

Communicators::Place Communicators::place_of(subdomain_id subdomain) const {
  const placement::Slot& slot = placement_->of(subdomain);
  return {slot.rank.value(), slot.ordinal};
}

int Communicators::number_of(subdomain_id subdomain) const { return numbers_.at(place_of(subdomain)); }

Communicators::Communicators(comm::RankGroup& comm, device::Backend& backend, AbortWord& abort, Duration timeout,
                             const placement::Placement& placement, std::span<const std::unique_ptr<Channel>> channels)
    : backend_(&backend), abort_(&abort), timeout_(timeout), me_(comm.rank()), placement_(&placement) {
  std::map<int, std::set<Place>> peers;  // by device of this rank
  for (const auto& channel : channels) {
    if (channel->transport != routing::Transport::nccl) continue;
    const Place from = place_of(channel->message.from);
    const Place to = place_of(channel->message.to);
    if (channel->sender == me_) peers[from.second].insert(to);
    if (channel->receiver == me_) peers[to.second].insert(from);
  }
  std::vector<std::int64_t> mine;
  for (const auto& [device, of_device] : peers) mine.push_back(device);
  rank_id first{-1};
  const auto all = comm.all_gather(to_bytes(mine));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (const std::int64_t device : from_bytes<std::vector<std::int64_t>>(all[rank])) {
      if (first.value() < 0) first = rank_id(static_cast<std::int64_t>(rank));
      const int number = static_cast<int>(numbers_.size());
      numbers_[{static_cast<std::int64_t>(rank), static_cast<int>(device)}] = number;
    }
  }
  if (numbers_.empty()) return;

  std::vector<std::byte> id;
  comm::agree_on(comm, [&] {
    if (me_ == first) id = to_bytes(backend.make_communicator_id());
  });
  comm.broadcast(id, first);
  comm::agree_on(comm, [&] {
    if (peers.empty()) return;
    device::CommunicatorSetup setup;
    setup.id = from_bytes<device::CommunicatorId>(id);
    setup.size = static_cast<int>(numbers_.size());
    setup.timeout = timeout;
    for (const auto& [device, of_device] : peers) {
      device::CommunicatorMember& member = setup.members.emplace_back();
      member.device = device;
      member.number = numbers_.at({me_.value(), device});
      for (const Place& peer : of_device) member.peers.push_back(numbers_.at(peer));
    }
    auto joined = backend.join(setup);
    for (std::size_t i = 0; i < joined.size(); ++i) members_[setup.members[i].device] = std::move(joined[i]);
  });
}

void Communicators::start() {
  if (std::ranges::none_of(members_, [](const auto& member) { return member.second->needs_watch(); })) return;
  for (Watched& watched : watched_) {
    const Progress& progress = watched.progress;
    watched.counts = backend_->make_word_reader(progress.device, {progress.begun, progress.done});
    watched.headers = backend_->make_word_reader(progress.device, progress.arrived);
  }
  thread_ = start_thread("the watch of NCCL's messages", [this] { run(); });
}

void Communicators::run() noexcept {
  const Duration pause = std::clamp(timeout_ / 20, shortest_pause, longest_pause);
  while (!abort_->raised()) {
    try {
      look();
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
      }
      abort_->raise(me_, std::current_exception());
      break;
    }
    std::unique_lock lock(mutex_);
    if (stopped_.wait_for(lock, pause, [this] { return stopping_; })) break;
  }
  if (abort_->raised()) abort_all();
}

void Communicators::look() {
  for (const auto& [device, member] : members_) member->check();
  const Duration now = Clock::steady().now();
  for (Watched& watched : watched_) look_at(watched, now);
}

void Communicators::look_at(Watched& watched, Duration now) {
  std::string why_not;
  const auto counts = watched.counts->read(longest_pause, why_not);
  if (!counts) return;
  const std::uint64_t begun = (*counts)[0];
  const std::uint64_t done = (*counts)[1];
  if (done >= begun || begun != watched.seen) {
    watched.seen = begun;
    watched.since = now;
  } else if (now - watched.since > timeout_) {
    const auto headers = watched.headers->read(longest_pause, why_not).value_or(std::vector<std::uint64_t>());
    throw DeadlineError(fmt::format("exchange {} is late by more than {} s: {}", begun,
                                    std::chrono::duration<double>(timeout_).count(),
                                    late(watched.progress.labels, headers, begun)));
  }
}

void Communicators::abort_all() noexcept {
  if (!members_.empty()) log(LogLevel::info, fmt::format("nccl: rank {} aborts its communicator", me_.value()));
  for (const auto& [device, member] : members_) member->abort();
}

std::exception_ptr Communicators::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Communicators::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace halocline::exchange::nccl
