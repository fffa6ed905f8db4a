// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "comm/rank_group.hpp"

namespace halocline::machine::measuring {

/// One message of a few that are under way at the same time. A rank fills in what is its part.
struct Message {
  rank_id from;
  rank_id to;
  int tag = 0;
  const std::byte* out = nullptr;  ///< at the sender
  std::byte* in = nullptr;         ///< at the receiver
  /// On the sender before it is sent, on the receiver once it is there; may be empty.
  std::function<void(std::size_t bytes)> before;
  std::function<void(std::size_t bytes)> after;
  /// Owns what `out` and `in` refer to.
  std::shared_ptr<void> memory;
};

/// Sends and receives this rank's part of some messages of `bytes` each, and returns when that is done. It never
/// sleeps, so that short times can be told apart. Throws DeadlineError after the communicator's timeout. After an error the group is
/// poisoned, and the messages' memory is never freed: a late message is still read from it or written into it.
void pass(comm::RankGroup& comm, std::span<const Message> messages, std::size_t bytes);

}  // namespace halocline::machine::measuring
