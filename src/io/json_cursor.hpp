// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_value.hpp"

namespace halocline::io {

/// A value within a document, and its path, so that each error can contain it. A view: the document must outlive it.
/// All functions throw InvalidArgument "<path> is <value>; allowed is <what>".
class JsonCursor {
 public:
  explicit JsonCursor(const Json& value, std::string path = "") : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[noreturn]] void refuse(std::string_view allowed) const;

  /// Requires an object with no other keys than these.
  void keys(std::initializer_list<std::string_view> allowed) const;
  /// Returns a key of an object: a required key, or nothing if an optional key is absent.
  [[nodiscard]] JsonCursor at(std::string_view key) const;
  [[nodiscard]] std::optional<JsonCursor> find(std::string_view key) const;
  [[nodiscard]] std::vector<JsonCursor> items() const;

  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool is_text() const { return value_->if_text() != nullptr; }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] bool flag() const;
  /// A finite number; whole ones count too.
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                     std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] int small(int least = std::numeric_limits<int>::min(),
                          int most = std::numeric_limits<int>::max()) const {
    return static_cast<int>(integer(least, most));
  }

 private:
  const Json* value_;
  std::string path_;
};

}  // namespace halocline::io
