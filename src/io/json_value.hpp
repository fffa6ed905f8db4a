// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace halocline::io {

/// A JSON value. nlohmann::json reads and writes its texts; the tree is our own, because nlohmann::json's destructors need memory and end
/// the process where there is none (docs/decisions/0102). Members of an object stay in the order of adding.
class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  Json() = default;  ///< null
  Json(std::nullptr_t) {}
  Json(std::same_as<bool> auto value) : value_(value) {}
  Json(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value) {
    // One form for each number, so that equal numbers compare equal.
    if (std::cmp_greater(value, std::numeric_limits<std::int64_t>::max())) value_ = static_cast<std::uint64_t>(value);
    else value_ = static_cast<std::int64_t>(value);
  }
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(Array elements) : value_(std::move(elements)) {}
  Json(Object members);
  /// An array of a range's values.
  template <std::ranges::input_range Range>
  requires(!std::convertible_to<Range, std::string_view> && !std::same_as<std::remove_cvref_t<Range>, Json>)
      Json(const Range& range)
      : value_(Array()) {
    for (const auto& item : range) push_back(Json(item));
  }
  /// An object if each item is an array of a text and a value, {{"a", 1}, {"b", 2}}; otherwise an array, {1, 2}.
  Json(std::initializer_list<Json> items);

  [[nodiscard]] static Json array(std::initializer_list<Json> items = {});
  [[nodiscard]] static Json object();

  [[nodiscard]] bool is_null() const { return std::holds_alternative<Null>(value_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Array>(value_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<Object>(value_); }
  /// Null unless it is one.
  [[nodiscard]] const bool* if_flag() const { return std::get_if<bool>(&value_); }
  [[nodiscard]] const std::string* if_text() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] const std::int64_t* if_integer() const { return std::get_if<std::int64_t>(&value_); }
  [[nodiscard]] std::optional<double> if_number() const;

  /// Of an array; none of any other value.
  [[nodiscard]] const Array& elements() const;
  [[nodiscard]] Array& elements();
  /// Of an object; none of any other value.
  [[nodiscard]] const Object& members() const;
  /// Null unless this is an object with that key.
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// Makes an object of null, and a member null of a key that is new. Throws InternalError for any other value.
  Json& operator[](std::string_view key);
  /// Adds the members of an object, or replaces their values, to this one.
  void update(const Json& object);
  /// Makes an array of null. Throws InternalError for any other value.
  void push_back(Json item);

  [[nodiscard]] bool operator==(const Json& other) const;

  enum class Utf8 : int { required, replaced };
  /// On one line without spaces; numbers that are not finite are null. Throws InvalidArgument if a text is not UTF-8, or replaces what is
  /// not by U+FFFD.
  [[nodiscard]] std::string dump(Utf8 utf8 = Utf8::required) const;
  /// Over several lines, each level indented by two more.
  [[nodiscard]] std::string indented() const;

 private:
  /// Not trivially copyable on purpose: libstdc++ 12 takes a variant of trivial types and containers for one that always holds a value,
  /// and destroys a value where copying one has failed for want of memory.
  struct Null {
    Null() noexcept = default;
    Null(const Null&) noexcept {}
    Null& operator=(const Null&) noexcept { return *this; }
    bool operator==(const Null&) const = default;
  };
  void append_to(std::string& text, Utf8 utf8, std::optional<std::size_t> indent) const;

  std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

struct Json::Member {
  std::string key;
  Json value;
  [[nodiscard]] bool operator==(const Member&) const = default;
};

/// Values within values: one function call each where a document is written or compared. No document of Halocline has more than 10.
inline constexpr int most_json_nesting = 64;

/// Throws InvalidArgument, with the position if it is not JSON, for duplicate keys in one object, for objects with more keys than can be
/// looked up one after the other, and for values that are nested too deep.
[[nodiscard]] Json parse_document(std::string_view text);
/// The same, and null for what parse_document() refuses.
[[nodiscard]] Json parse_document_or_null(std::string_view text);

}  // namespace halocline::io
