// SPDX-License-Identifier: BSD-3-Clause
#include "device/memory_account.hpp"

namespace halocline::device {
namespace {

/// Of this thread.
struct Counting {
  MemoryAccount* account = nullptr;
  Purpose purpose = Purpose::other;
};
thread_local Counting counting;

}  // namespace

std::int64_t MemoryAccount::bytes(int device, Purpose purpose) const {
  const std::lock_guard lock(mutex_);
  const auto found = bytes_.find({device, purpose});
  return found == bytes_.end() ? 0 : found->second;
}

std::int64_t MemoryAccount::bytes(int device) const {
  const std::lock_guard lock(mutex_);
  std::int64_t all = 0;
  for (const auto& [place, bytes] : bytes_) all += place.first == device ? bytes : 0;
  return all;
}

void MemoryAccount::add(int device, Purpose purpose, std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_[{device, purpose}] += bytes;
}

CountMemory::CountMemory(MemoryAccount& account, Purpose purpose)
    : account_(std::exchange(counting.account, &account)), purpose_(std::exchange(counting.purpose, purpose)) {}

CountMemory::CountMemory(Purpose purpose)
    : account_(counting.account), purpose_(std::exchange(counting.purpose, purpose)) {}

CountMemory::~CountMemory() { counting = {account_, purpose_}; }

CountedBytes::CountedBytes(int device, std::size_t bytes, std::optional<Purpose> purpose)
    : device_(device), purpose_(purpose.value_or(counting.purpose)), bytes_(static_cast<std::int64_t>(bytes)) {
  if (counting.account == nullptr) return;
  account_ = counting.account->shared_from_this();
  account_->add(device_, purpose_, bytes_);
}

CountedBytes::~CountedBytes() {
  if (account_) account_->add(device_, purpose_, -bytes_);
}

CountedBytes& CountedBytes::operator=(CountedBytes&& other) noexcept {
  std::swap(account_, other.account_);
  std::swap(device_, other.device_);
  std::swap(purpose_, other.purpose_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace halocline::device
