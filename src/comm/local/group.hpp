// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/local/mailbox.hpp"
#include "halocline/error.hpp"

namespace halocline::comm::local {

/// Which ranks of a run have ended, and how, so that no rank waits for them. Thread-safe.
class Roll {
 public:
  explicit Roll(int ranks) : ended_(static_cast<std::size_t>(ranks)) {}
  void end(int world_rank, std::string how) noexcept {
    const std::lock_guard lock(mutex_);
    ended_[static_cast<std::size_t>(world_rank)] = std::move(how);
    any_.store(true, std::memory_order_release);
  }
  [[nodiscard]] std::optional<std::string> ended(int world_rank) const {
    if (!any_.load(std::memory_order_acquire)) return std::nullopt;
    const std::lock_guard lock(mutex_);
    return ended_[static_cast<std::size_t>(world_rank)];
  }

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> any_{false};
  std::vector<std::optional<std::string>> ended_;  ///< by rank
};

/// What the ranks of one RankGroup share.
struct Group {
  Group(std::shared_ptr<Roll> r, std::vector<int> world, int first = 0)
      : roll(std::move(r)), world_ranks(std::move(world)), first_rank(first) {
    while (mailboxes.size() < world_ranks.size()) mailboxes.push_back(std::make_unique<Mailbox>());
  }

  std::shared_ptr<Roll> roll;
  std::vector<int> world_ranks;
  std::vector<std::unique_ptr<Mailbox>> mailboxes;
  /// The number of rank 0 in error texts: a group of one rank also carries the messages of a rank of a larger group to
  /// itself.
  int first_rank;

  [[nodiscard]] Mailbox& mailbox(int rank) { return *mailboxes[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::optional<std::string> ended(int rank) const {
    return roll->ended(world_ranks[static_cast<std::size_t>(rank)]);
  }
};

/// One rank's own state of a RankGroup; outlives it if requests do.
struct Life {
  std::atomic<bool> poisoned{false};
  std::atomic<bool> closed{false};
};

/// A wait that failed only because another rank ended: the consequence of an error elsewhere, not its cause.
class PeerEnded final : public CommunicationError {
 public:
  using CommunicationError::CommunicationError;
};

}  // namespace halocline::comm::local
