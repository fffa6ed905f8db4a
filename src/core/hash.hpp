// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace halocline {

/// FNV-1a over bytes, 64 bits: the same on every machine and in every run, unlike std::hash.
/// Not cryptographic; for tokens, and to compare inputs between ranks.
/// Source: Fowler, Noll, Vo; draft-eastlake-fnv.
class Hash {
 public:
  Hash& add(std::span<const std::byte> bytes);
  Hash& add(std::string_view text);
  Hash& add(std::int64_t value);
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 14695981039346656037ull;
};

}  // namespace halocline
