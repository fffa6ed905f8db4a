// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "halocline/ids.hpp"

namespace halocline::comm {

/// Of a message, compared with the buffer of its receive.
enum class Length : int { exact, at_most };

/// A send or receive under way. Its bytes must stay where they are until test() has returned true. Destroying an unfinished
/// request is logged, cancels a receive if that is possible, and never blocks.
class Request {
 public:
  virtual ~Request() = default;
  /// True once the sent bytes may be changed, or the received bytes are complete. Never blocks; makes
  /// progress. Throws CommunicationError if it failed or the message had another length.
  [[nodiscard]] virtual bool test() = 0;
};

/// A send or receive that is set up once and started many times; at most one under way at a time.
class PersistentRequest {
 public:
  virtual ~PersistentRequest() = default;
  /// Throws InternalError if the previous one is not done.
  virtual void start() = 0;
  /// As Request::test; true before the first start() too.
  [[nodiscard]] virtual bool test() = 0;
};

/// Host memory that all ranks of a node access: one segment for each rank, zero-filled at first, cache-line aligned.
/// Valid until destroyed on this rank; destruction does not communicate.
class SharedWindow {
 public:
  virtual ~SharedWindow() = default;
  /// The segment of a rank of the communicator that the window was made from.
  [[nodiscard]] virtual std::span<std::byte> segment(rank_id rank) const = 0;
};

}  // namespace halocline::comm
