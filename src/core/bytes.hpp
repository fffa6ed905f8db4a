// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "halocline/error.hpp"

namespace halocline {

/// A number of bytes, 0 or more, that is being computed. A sum or product of 2^63 or more is marked as an overflow
/// instead of wrapping around, so that a computation is checked once, at its end, by value().
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t bytes) : bytes_(bytes) {}

  constexpr Bytes& operator+=(Bytes other) {
    const bool wrapped = __builtin_add_overflow(bytes_, other.bytes_, &bytes_);
    if (wrapped || other.too_many_) too_many_ = true;
    return *this;
  }
  constexpr Bytes& operator+=(std::int64_t bytes) { return *this += Bytes(bytes); }
  /// By a number of 0 or more.
  constexpr Bytes& operator*=(Bytes factor) {
    const bool wrapped = __builtin_mul_overflow(bytes_, factor.bytes_, &bytes_);
    if (wrapped || factor.too_many_) too_many_ = true;
    return *this;
  }
  constexpr Bytes& operator*=(std::int64_t factor) { return *this *= Bytes(factor); }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return a += b; }
  friend constexpr Bytes operator+(Bytes a, std::int64_t b) { return a += b; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t factor) { return a *= factor; }

  /// The next multiple of a unit of 1 or more.
  [[nodiscard]] constexpr Bytes aligned_to(std::int64_t unit) const {
    Bytes up = *this + (unit - 1);
    up.bytes_ -= up.bytes_ % unit;
    return up;
  }

  [[nodiscard]] constexpr bool at_most(std::int64_t most) const { return !too_many_ && bytes_ <= most; }
  /// Throws InvalidArgument "<what()> is <bytes> bytes; allowed is at most <most>". what() is called in that case only.
  template <typename What>
  [[nodiscard]] std::int64_t value(What&& what, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    if (!at_most(most)) refuse(what(), most);
    return bytes_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, std::int64_t most) const;

  std::int64_t bytes_ = 0;
  bool too_many_ = false;
};

}  // namespace halocline
