// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "comm/local/mailbox.hpp"
#include "core/clock.hpp"
#include "halocline/session.hpp"

namespace halocline::comm::store {

/// The mailbox of a rank whose messages travel through a store. The rank itself takes messages from its own; other ranks have
/// one of their own for it, to which they deliver.
class StoreMailbox final : public local::Mailbox {
 public:
  /// prefix: names group and rank. me: the rank of this process; owner: the rank whose mailbox it is.
  StoreMailbox(std::shared_ptr<Store> store, std::string prefix, int me, int owner);

  void deliver(int from, int tag, local::Message message) override;
  void deliver(int from, int tag, std::string_view operation, std::span<const std::byte> bytes) override;
  [[nodiscard]] bool take(Slot& slot, local::Message& message) override;

 private:
  using Channel = std::pair<int, int>;  ///< rank of the sender, tag
  [[nodiscard]] std::string key(const Channel& channel, std::uint64_t number) const;
  /// Puts the channel's next message, if it is in the store, into the mailbox.
  [[nodiscard]] bool fetch(const Channel& channel);
  /// Throws what the rank has failed with.
  void look_for_failure(int from);

  std::shared_ptr<Store> store_;
  std::string prefix_;
  int me_, owner_;
  std::mutex mutex_;
  std::map<Channel, std::uint64_t> next_;  ///< number of the next message
  Deadline looks_for_failure_;  ///< of the rank that is waited for: not each time, as a store may be far away
  std::set<std::string, std::less<>> operations_;
};

}  // namespace halocline::comm::store
