// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace halocline::comm::local {

/// What travels between ranks of one process. Collectives say which one they are, so that ranks that call
/// different ones are noticed, and may carry an object that ranks share.
struct Message {
  std::string_view operation;  ///< a literal
  std::vector<std::byte> bytes;
  std::shared_ptr<void> object;
  bool in_place = false;  ///< the bytes were written where the receive wanted them, and are not here
};

/// Where one rank's messages arrive. Messages of one sender with one tag go to the receives for them in the
/// order in which both were posted. Any thread may call any function.
class Mailbox {
 public:
  /// A receive that was posted; its members belong to the mailbox's lock.
  struct Slot {
    std::pair<int, int> channel;
    std::span<std::byte> into;  ///< where its bytes are wanted; empty where the message as such is
    bool arrived = false;
    Message message;
  };

  void deliver(int from, int tag, Message message);
  /// Bytes that are the sender's: copied to where a posted receive of that many wants them, or else kept.
  void deliver(int from, int tag, std::string_view operation, std::span<const std::byte> bytes);
  [[nodiscard]] std::shared_ptr<Slot> post(int from, int tag, std::span<std::byte> into = {});
  /// Moves the slot's message out and returns true, once, where it has arrived.
  [[nodiscard]] bool take(Slot& slot, Message& message);
  /// The slot's message, if it did not arrive yet, goes to the next receive.
  void withdraw(const std::shared_ptr<Slot>& slot) noexcept;

 private:
  struct Channel {
    std::deque<Message> arrived;               ///< without a receive
    std::deque<std::shared_ptr<Slot>> posted;  ///< without a message
  };
  std::mutex mutex_;
  std::map<std::pair<int, int>, Channel> channels_;
};

}  // namespace halocline::comm::local
