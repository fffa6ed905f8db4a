// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// Values as bytes, for messages between ranks of one job (one build, one byte order). Not a file format.
//
// Trivially copyable values are copied as they are; strings, vectors, maps, pairs and variants go item by item. Any other
// structure lists its members once for both directions, in its own namespace:
//
//   auto members(MaybeConst<Vertex> auto& vertex) { return std::tie(vertex.kind, vertex.name); }
namespace halocline {

template <typename T, typename Structure>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Structure>;

namespace serialising {

template <typename T>
concept Listed = requires(T& value) {
  members(value);
};
/// Copied as it is. Pointers inside structures cannot be excluded here.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::ranges::range<T> && !Listed<T>;
template <typename T>
concept Block = std::ranges::contiguous_range<T> && Plain<std::ranges::range_value_t<T>>;

/// Throws InternalError "a message between ranks <what>: ranks of different builds in one job?".
[[noreturn]] void refuse(const char* what);

}  // namespace serialising

class ByteWriter {
 public:
  template <typename T>
  void put(const T& value) {
    using namespace serialising;
    if constexpr (Listed<const T>) {
      std::apply([this](const auto&... each) { (put(each), ...); }, members(value));
    } else if constexpr (std::ranges::sized_range<const T>) {
      put(std::uint64_t{std::ranges::size(value)});
      if constexpr (Block<const T>) {
        append(std::as_bytes(std::span(value)));
      } else {
        for (const auto& item : value) put(item);
      }
    } else {
      static_assert(Plain<T>, "list its members");
      append(std::as_bytes(std::span<const T, 1>(&value, 1)));
    }
  }
  template <typename A, typename B>
  void put(const std::pair<A, B>& pair) {
    put(pair.first);
    put(pair.second);
  }
  template <typename... T>
  void put(const std::variant<T...>& value) {
    put(std::uint64_t{value.index()});
    std::visit([this](const auto& alternative) { put(alternative); }, value);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  std::vector<std::byte> bytes_;
};

/// Reads in the order of writing. Throws InternalError where the bytes do not fit the type.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  [[nodiscard]] T get() {
    T value{};
    read(value);
    return value;
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  template <typename T>
  void read(T& value) {
    using namespace serialising;
    if constexpr (Listed<T>) {
      std::apply([this](auto&... each) { (read(each), ...); }, members(value));
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (auto left = get<std::uint64_t>(); left > 0; --left) {
        const auto key = get<typename T::key_type>();
        read(value[key]);
      }
    } else if constexpr (Block<T>) {
      using Item = std::ranges::range_value_t<T>;
      const auto count = get<std::uint64_t>();
      const auto bytes = next(count, sizeof(Item));
      value.resize(count);
      if (count > 0) std::memcpy(value.data(), bytes.data(), bytes.size());
    } else if constexpr (std::ranges::range<T>) {
      for (auto left = get<std::uint64_t>(); left > 0; --left) read(value.emplace_back());
    } else {
      static_assert(Plain<T>, "list its members");
      std::memcpy(&value, next(1, sizeof(T)).data(), sizeof(T));
    }
  }
  template <typename A, typename B>
  void read(std::pair<A, B>& pair) {
    read(pair.first);
    read(pair.second);
  }
  template <typename... T>
  void read(std::variant<T...>& value) {
    const auto index = get<std::uint64_t>();
    std::uint64_t alternative = 0;
    const bool known = ((alternative++ == index && (read(value.template emplace<T>()), true)) || ...);
    if (!known) serialising::refuse("has an unknown alternative");
  }

  std::span<const std::byte> next(std::uint64_t items, std::size_t item_bytes) {
    if (items > bytes_.size() / item_bytes) serialising::refuse("ends early");
    const auto taken = bytes_.first(items * item_bytes);
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

  std::span<const std::byte> bytes_;
};

template <typename T>
[[nodiscard]] std::vector<std::byte> to_bytes(const T& value) {
  ByteWriter out;
  out.put(value);
  return out.take();
}

/// Throws InternalError unless the bytes are exactly one T.
template <typename T>
[[nodiscard]] T from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  T value = in.get<T>();
  if (!in.empty()) serialising::refuse("has bytes left over");
  return value;
}

}  // namespace halocline
