// SPDX-License-Identifier: BSD-3-Clause
#include "io/json_cursor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "halocline/error.hpp"
#include "io/detail/shown.hpp"

namespace halocline::io {
void JsonCursor::refuse(std::string_view allowed) const {
  throw InvalidArgument(
      fmt::format("{} is {}; allowed is {}", path_.empty() ? "the document" : path_, shown(*value_), allowed));
}

void JsonCursor::keys(std::initializer_list<std::string_view> allowed) const {
  if (!value_->is_object()) refuse("an object");
  for (const auto& [key, value] : value_->members()) {
    if (std::ranges::find(allowed, key) != allowed.end()) continue;
    std::string names;
    for (const std::string_view one : allowed) names += fmt::format("{}{}", names.empty() ? "" : ", ", one);
    throw InvalidArgument(fmt::format("{} has the unknown key {}; allowed are {}",
                                      path_.empty() ? "the document" : path_, shown(Json(key)), names));
  }
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const {
  if (!value_->is_object()) refuse("an object");
  const Json* const found = value_->find(key);
  if (found == nullptr) return std::nullopt;
  return JsonCursor(*found, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key));
}

JsonCursor JsonCursor::at(std::string_view key) const {
  if (auto found = find(key)) return *found;
  throw InvalidArgument(fmt::format("{}{}{} is missing; it is required", path_, path_.empty() ? "" : ".", key));
}

std::vector<JsonCursor> JsonCursor::items() const {
  if (!value_->is_array()) refuse("an array");
  std::vector<JsonCursor> all;
  for (std::size_t i = 0; i < value_->elements().size(); ++i) {
    all.emplace_back(value_->elements()[i], fmt::format("{}[{}]", path_, i));
  }
  return all;
}

std::string JsonCursor::text() const {
  const std::string* const text = value_->if_text();
  if (text == nullptr) refuse("a text");
  if (text->find('\0') != std::string::npos) refuse("a text without NUL characters");
  return *text;
}

std::vector<std::string> JsonCursor::texts() const {
  std::vector<std::string> all;
  for (const JsonCursor& item : items()) all.push_back(item.text());
  return all;
}

bool JsonCursor::flag() const {
  const bool* const flag = value_->if_flag();
  if (flag == nullptr) refuse("true or false");
  return *flag;
}

double JsonCursor::number() const {
  const std::optional<double> number = value_->if_number();
  if (!number || !std::isfinite(*number)) refuse("a finite number");
  return *number;
}

std::int64_t JsonCursor::integer(std::int64_t least, std::int64_t most) const {
  const std::int64_t* const value = value_->if_integer();
  if (value == nullptr || *value < least || *value > most)
    refuse(fmt::format("a whole number from {} to {}", least, most));
  return *value;
}

}  // namespace halocline::io
