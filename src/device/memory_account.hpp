// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace halocline::device {

/// What memory is for. `other` is what nothing more precise was set for.
enum class Purpose : int { cells, messages, tables, other };

/// In place of a device's number: pinned memory of the host. Greater than each of them.
constexpr int pinned_host = std::numeric_limits<int>::max();

/// The bytes that backends have allocated for one owner and not freed, by device and purpose. Thread-safe.
class MemoryAccount : public std::enable_shared_from_this<MemoryAccount> {
 public:
  [[nodiscard]] std::int64_t bytes(int device, Purpose purpose) const;
  /// For all purposes.
  [[nodiscard]] std::int64_t bytes(int device) const;
  void add(int device, Purpose purpose, std::int64_t bytes);

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<int, Purpose>, std::int64_t> bytes_;
};

/// While one lives, what this thread allocates from backends is counted in an account, which a shared_ptr owns. The innermost one
/// counts; without any, nothing is counted.
class CountMemory {
 public:
  CountMemory(MemoryAccount& account, Purpose purpose);
  /// In the same account for another purpose.
  explicit CountMemory(Purpose purpose);
  ~CountMemory();
  CountMemory(const CountMemory&) = delete;
  CountMemory& operator=(const CountMemory&) = delete;

 private:
  MemoryAccount* account_;  ///< before
  Purpose purpose_;
};

/// A part of each allocation of a backend: its bytes, counted from construction to destruction, in the account and for the purpose that
/// are set at construction.
class CountedBytes {
 public:
  CountedBytes() = default;
  /// purpose: instead of the one that is set.
  CountedBytes(int device, std::size_t bytes, std::optional<Purpose> purpose = std::nullopt);
  ~CountedBytes();
  CountedBytes(CountedBytes&&) = default;
  CountedBytes& operator=(CountedBytes&& other) noexcept;

 private:
  std::shared_ptr<MemoryAccount> account_;  ///< null: not counted
  int device_ = pinned_host;
  Purpose purpose_ = Purpose::other;
  std::int64_t bytes_ = 0;
};

}  // namespace halocline::device
