// SPDX-License-Identifier: BSD-3-Clause
#include "comm/local/mailbox.hpp"

#include <algorithm>

namespace halocline::comm::local {

void Mailbox::deliver(int from, int tag, Message message) {
  const std::lock_guard lock(mutex_);
  Channel& channel = channels_[{from, tag}];
  if (channel.posted.empty()) {
    channel.arrived.push_back(std::move(message));
    return;
  }
  Slot& slot = *channel.posted.front();
  slot.message = std::move(message);
  slot.arrived = true;
  channel.posted.pop_front();
}

void Mailbox::deliver(int from, int tag, std::string_view operation, std::span<const std::byte> bytes) {
  {
    const std::lock_guard lock(mutex_);
    Channel& channel = channels_[{from, tag}];
    if (!channel.posted.empty() && !bytes.empty() && channel.posted.front()->into.size() == bytes.size()) {
      Slot& slot = *channel.posted.front();
      std::copy(bytes.begin(), bytes.end(), slot.into.begin());
      slot.message = {operation, {}, nullptr, true};
      slot.arrived = true;
      channel.posted.pop_front();
      return;
    }
  }
  // Copied outside the lock. A receive that is posted meanwhile finds the message stored for it.
  deliver(from, tag, {operation, {bytes.begin(), bytes.end()}, nullptr, false});
}

std::shared_ptr<Mailbox::Slot> Mailbox::post(int from, int tag, std::span<std::byte> into) {
  auto slot = std::make_shared<Slot>();
  slot->channel = {from, tag};
  slot->into = into;
  const std::lock_guard lock(mutex_);
  Channel& channel = channels_[slot->channel];
  if (channel.arrived.empty()) {
    channel.posted.push_back(slot);
  } else {
    slot->message = std::move(channel.arrived.front());
    slot->arrived = true;
    channel.arrived.pop_front();
  }
  return slot;
}

bool Mailbox::take(Slot& slot, Message& message) {
  const std::lock_guard lock(mutex_);
  if (!slot.arrived) return false;
  message = std::move(slot.message);
  return true;
}

void Mailbox::withdraw(const std::shared_ptr<Slot>& slot) noexcept {
  const std::lock_guard lock(mutex_);
  const auto channel = channels_.find(slot->channel);
  if (channel != channels_.end()) std::erase(channel->second.posted, slot);
}

}  // namespace halocline::comm::local
