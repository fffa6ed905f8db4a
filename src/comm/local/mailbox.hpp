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

/// A message between ranks. A message of a collective contains its name, so that ranks that call
/// different collectives are detected, and may contain an object that ranks share.
struct Message {
  std::string_view operation;  ///< a literal
  std::vector<std::byte> bytes;
  std::shared_ptr<void> object;
  bool in_place = false;  ///< the bytes were written into the receive's buffer, and are not here
};

/// The messages that arrive at one rank; of this process, or, in derived classes, of another one. Messages of one sender with one tag are matched with the receives for them in
/// the order in which each were posted. Any thread may call any function.
class Mailbox {
 public:
  /// A receive that was posted; the mailbox's lock protects its members.
  struct Slot {
    std::pair<int, int> channel;
    std::span<std::byte> into;  ///< the buffer for its bytes; empty if the Message itself is requested
    bool arrived = false;
    Message message;
  };

  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  virtual ~Mailbox() = default;

  virtual void deliver(int from, int tag, Message message);
  /// Copies the sender's bytes: into the buffer of a posted receive of that length, or else into the mailbox.
  virtual void deliver(int from, int tag, std::string_view operation, std::span<const std::byte> bytes);
  [[nodiscard]] std::shared_ptr<Slot> post(int from, int tag, std::span<std::byte> into = {});
  /// If the slot's message has arrived, moves it out and returns true, once.
  [[nodiscard]] virtual bool take(Slot& slot, Message& message);
  /// Withdraws a receive: if its message has not arrived yet, the next receive gets it.
  void withdraw(const std::shared_ptr<Slot>& slot) noexcept;

 private:
  struct Channel {
    std::deque<Message> arrived;               ///< messages without a receive
    std::deque<std::shared_ptr<Slot>> posted;  ///< receives without a message
  };
  std::mutex mutex_;
  std::map<std::pair<int, int>, Channel> channels_;
};

}  // namespace halocline::comm::local
