// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/error.hpp"

// Values as bytes, for messages between ranks of one job (one build, one byte order). Not a file format.
namespace halocline::machine {

class ByteWriter {
 public:
  void put(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::byte>((bits >> (8 * i)) & 0xff));
  }
  void put(int value) { put(std::int64_t{value}); }
  void put(double value) { put(std::bit_cast<std::int64_t>(value)); }
  void put(std::string_view text) {
    put(static_cast<std::int64_t>(text.size()));
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  /// The number of items, then each(item).
  template <typename Item, typename Each>
  void put_all(const std::vector<Item>& items, Each&& each) {
    put(static_cast<std::int64_t>(items.size()));
    for (const Item& item : items) each(item);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads in the order of writing. Throws InternalError at the end of the bytes.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::int64_t integer() {
    std::uint64_t bits = 0;
    const auto eight = next(8);
    for (std::size_t i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(eight[i]) << (8 * i);
    return static_cast<std::int64_t>(bits);
  }
  [[nodiscard]] int small() { return static_cast<int>(integer()); }
  [[nodiscard]] double real() { return std::bit_cast<double>(integer()); }
  [[nodiscard]] std::string text() {
    std::string value;
    for (const std::byte b : next(integer())) value.push_back(static_cast<char>(b));
    return value;
  }
  template <typename Each>
  [[nodiscard]] auto all(Each&& each) {
    std::vector<decltype(each())> items;
    const std::int64_t count = integer();
    for (std::int64_t i = 0; i < count; ++i) items.push_back(each());
    return items;
  }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> next(std::int64_t count) {
    if (count < 0 || static_cast<std::uint64_t>(count) > bytes_.size()) {
      throw InternalError("a machine message ends early: ranks of different builds in one job?");
    }
    const auto taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return taken;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace halocline::machine
