// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/clock.hpp"

namespace halocline::device {

class Buffer;
class Stream;

/// What the processes of a communicator agree on before they join it. Trivially copyable.
struct CommunicatorId {
  std::array<std::byte, 128> blob{};
};

/// A device of this process in a communicator.
struct CommunicatorMember {
  int device = 0;
  int number = 0;          ///< in the communicator
  std::vector<int> peers;  ///< the numbers of those that it sends to, or receives from; they name it, too
};

struct CommunicatorSetup {
  CommunicatorId id;
  int size = 0;  ///< members, of all processes
  std::vector<CommunicatorMember> members;
  Duration timeout{};  ///< of the set-up
};

/// Sends and receives between devices of several processes, in the order of streams, without their hosts (NCCL). Made by
/// Backend::join(). One thread at a time enqueues; check() and abort() may be called by another.
class Communicator {
 public:
  struct Transfer {
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
    int peer = 0;
  };

  /// Leaves, if the peers do so, too, or else is leaked. Its buffers are destroyed, and no work of it is under way.
  virtual ~Communicator() = default;

  /// Memory for transfers at full speed; zero-filled.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate(std::size_t bytes) = 0;
  /// Enqueues all of these as one operation, which waits until the peers have enqueued theirs. The k-th send to a peer is received by
  /// its k-th receive, of the same size.
  virtual void exchange(std::span<const Transfer> sends, std::span<const Transfer> receives, Stream& stream) = 0;

  /// Whether an operation may wait for ever for a peer that does not come, so that somebody has to watch.
  [[nodiscard]] virtual bool needs_watch() const = 0;
  /// Throws CommunicationError if it has failed, because of a peer for example.
  virtual void check() = 0;
  /// Ends the operations under way, whose data are then undefined. Nothing can be enqueued any more.
  virtual void abort() noexcept = 0;
};

}  // namespace halocline::device
