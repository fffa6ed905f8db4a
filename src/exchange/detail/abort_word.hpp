// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "comm/rank_group.hpp"
#include "comm/requests.hpp"
#include "core/anonymous_file.hpp"

namespace halocline::exchange {

/// One word for each rank, by which the ranks of a node notify each other that an exchange has failed, with the reason
/// as text. Ranks of other nodes end at their own deadlines, also in a rack, whose nodes store to each other's
/// device memory but share none of the host: each wait of a device has a deadline, and names pair, transport and step. So do all ranks of a node that may not map each other's
/// memory: each then has a private word.
class AbortWord {
 public:
  /// Collective over the node.
  explicit AbortWord(comm::RankGroup& node_comm);

  /// The word that this rank's waits read; 0 until a rank has failed. Valid as long as this object exists.
  [[nodiscard]] const std::atomic<std::uint32_t>* word() const;
  /// What a rank gave up for: values of the word.
  enum class Cause : std::uint32_t {
    failure = 1,
    lateness = 2,  ///< a message was late, maybe because of a rank that is missing
  };
  /// Notifies all ranks of the node; the first reason is kept.
  void raise(std::string_view reason, Cause cause = Cause::failure) noexcept;
  /// The same for an error: lateness if it is a DeadlineError.
  void raise(rank_id me, const std::exception_ptr& error) noexcept;
  [[nodiscard]] bool raised() const { return word()->load(std::memory_order_acquire) != 0; }
  [[nodiscard]] bool raised_for(Cause cause) const {
    return word()->load(std::memory_order_acquire) == static_cast<std::uint32_t>(cause);
  }
  /// The reason that this rank received; empty if there is none.
  [[nodiscard]] std::string reason() const;

 private:
  struct Segment;
  [[nodiscard]] Segment* segment(int rank) const;
  int rank_ = 0;
  int ranks_ = 0;
  std::unique_ptr<comm::SharedWindow> window_;  ///< null if the word is private to this rank
  std::optional<AnonymousFile> own_;
};

}  // namespace halocline::exchange
