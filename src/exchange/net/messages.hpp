// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "comm/rank_group.hpp"
#include "comm/requests.hpp"
#include "core/clock.hpp"
#include "halocline/ids.hpp"

namespace halocline::exchange::net {

/// Messages of host memory between the ranks of a group, for a Proxy. Those between two ranks with one tag arrive in order; 0 <= tag < 32768.
/// One thread at a time calls it, also of its requests, which must not outlive it.
class Messages {
 public:
  virtual ~Messages() = default;
  /// Of the library that moves them, for errors.
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, rank_id to, int tag) = 0;
  /// Receives messages of up to so many bytes, whose own length is known from what is in them.
  [[nodiscard]] virtual std::unique_ptr<comm::PersistentRequest> receive_at_most(std::span<std::byte> bytes,
                                                                                 rank_id from, int tag) = 0;
  /// Of the thread that is about to call this object and its requests. See RankGroup.
  [[nodiscard]] virtual std::unique_ptr<comm::ConcurrentCaller> caller() = 0;
  /// Where requests move in here and not in their test(). Never blocks.
  virtual void progress() {}
  /// Frees all resources; no send is under way, and nothing is received any more. Collective. Throws DeadlineError.
  virtual void close(const Deadline& deadline) = 0;
};

/// By a group of ranks: MPI, or memory of ranks that are threads.
class GroupMessages final : public Messages {
 public:
  explicit GroupMessages(std::unique_ptr<comm::RankGroup> group) : group_(std::move(group)) {}
  [[nodiscard]] std::string_view name() const override { return "MPI"; }
  [[nodiscard]] std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, rank_id to, int tag) override {
    return group_->send(bytes, to, tag);
  }
  [[nodiscard]] std::unique_ptr<comm::PersistentRequest> receive_at_most(std::span<std::byte> bytes, rank_id from,
                                                                         int tag) override {
    return group_->persistent_receive_at_most(bytes, from, tag);
  }
  [[nodiscard]] std::unique_ptr<comm::ConcurrentCaller> caller() override { return group_->concurrent_caller(); }
  void close(const Deadline& /*deadline*/) override { group_->close(); }

 private:
  std::unique_ptr<comm::RankGroup> group_;
};

}  // namespace halocline::exchange::net
