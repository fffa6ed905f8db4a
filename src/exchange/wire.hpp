// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "halocline/error.hpp"

namespace halocline::exchange {

/// Trivially copyable values one after another, for messages between ranks of one job at set-up.
class Writer {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
  }
  void put_text(std::string_view text) {
    put(std::uint64_t{text.size()});
    for (const char c : text) put(c);
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename T>
  [[nodiscard]] T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.size() < sizeof(T)) throw InternalError("two ends of a route wrote and read different things");
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }
  [[nodiscard]] std::string get_text() {
    std::string text(get<std::uint64_t>(), '\0');
    for (char& c : text) c = get<char>();
    return text;
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace halocline::exchange
