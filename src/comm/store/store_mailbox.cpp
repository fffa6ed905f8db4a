// SPDX-License-Identifier: BSD-3-Clause
#include "comm/store/store_mailbox.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "comm/store/failure.hpp"
#include "core/serialise.hpp"
#include "halocline/error.hpp"

namespace halocline::comm::store {
namespace {

/// PyTorch's TCPStore takes values of 8 MiB at most.
constexpr std::size_t largest_value = std::size_t{1} << 20;
/// What remains of that for bytes, after a Head with the name of an operation.
constexpr std::size_t piece = largest_value - 256;

/// The first value of a message. The others, its bytes from `piece` on, are under the same key with "/1", "/2" and so on.
struct Head {
  std::string operation;
  std::uint64_t bytes = 0;
  std::vector<std::byte> first;
};
auto members(MaybeConst<Head> auto& head) { return std::tie(head.operation, head.bytes, head.first); }

std::string further(const std::string& key, std::size_t at) { return fmt::format("{}/{}", key, at / piece); }

}  // namespace

StoreMailbox::StoreMailbox(std::shared_ptr<Store> store, std::string prefix, int me, int owner)
    : store_(std::move(store)),
      prefix_(std::move(prefix)),
      me_(me),
      owner_(owner),
      looks_for_failure_(Clock::steady(), Duration::zero()) {}

std::string StoreMailbox::key(const Channel& channel, std::uint64_t number) const {
  return fmt::format("{}/{}>{}/{}/{}", prefix_, channel.first, owner_, channel.second, number);
}

void StoreMailbox::deliver(int from, int tag, local::Message message) {
  if (me_ == owner_) return Mailbox::deliver(from, tag, std::move(message));
  deliver(from, tag, message.operation, message.bytes);
}

void StoreMailbox::deliver(int from, int tag, std::string_view operation, std::span<const std::byte> bytes) {
  if (me_ == owner_) return Mailbox::deliver(from, tag, operation, bytes);
  const std::lock_guard lock(mutex_);
  const std::string name = key({from, tag}, next_[{from, tag}]++);
  // The first piece last: a receiver that finds it finds all.
  for (std::size_t at = piece; at < bytes.size(); at += piece) {
    store_->set(further(name, at), bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  const auto first = bytes.first(std::min(piece, bytes.size()));
  store_->set(name, to_bytes(Head{std::string(operation), bytes.size(), {first.begin(), first.end()}}));
}

bool StoreMailbox::fetch(const Channel& channel) {
  const std::lock_guard lock(mutex_);
  const std::string name = key(channel, next_[channel]);
  const auto value = store_->take(name);
  if (!value) {
    look_for_failure(channel.first);
    return false;
  }
  auto head = from_bytes<Head>(*value);
  std::vector<std::byte> bytes = std::move(head.first);
  while (bytes.size() < head.bytes) {
    const auto more = store_->take(further(name, bytes.size()));
    if (!more || more->empty()) {
      throw CommunicationError(
          fmt::format("the store has lost a part of '{}' ({} of {} bytes)", name, bytes.size(), head.bytes));
    }
    bytes.insert(bytes.end(), more->begin(), more->end());
  }
  ++next_[channel];
  // The names of operations outlive their messages, as the literals of other mailboxes do.
  const std::string_view operation = *operations_.insert(std::move(head.operation)).first;
  Mailbox::deliver(channel.first, channel.second, operation, bytes);
  return true;
}

void StoreMailbox::look_for_failure(int from) {
  if (!looks_for_failure_.expired()) return;
  throw_failure(*store_, prefix_, from, me_);
  looks_for_failure_ = Deadline(Clock::steady(), std::chrono::milliseconds(50));
}

bool StoreMailbox::take(Slot& slot, local::Message& message) {
  while (!Mailbox::take(slot, message)) {
    if (slot.channel.first == me_ || !fetch(slot.channel)) return false;
  }
  return true;
}

}  // namespace halocline::comm::store
