// SPDX-License-Identifier: BSD-3-Clause
#include "io/detail/pretty.hpp"

#include <algorithm>

namespace halocline::io {
namespace {

constexpr std::size_t line_columns = 120;

std::string flat(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// "{"a": 1, "b": [1, 2]}": on one line, with spaces.
std::string one_line(const Json& value) {
  if (!value.is_structured()) return flat(value);
  std::string text;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += flat(Json(item.key())) + ": ";
    text += one_line(*item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

bool holds_no_objects(const Json& value) {
  return std::none_of(value.begin(), value.end(), [](const Json& item) {
    return item.is_object() ||
           (item.is_array() && std::any_of(item.begin(), item.end(), [](const Json& i) { return i.is_structured(); }));
  });
}

void append(std::string& text, const Json& value, std::size_t indent) {
  if (!value.is_structured() || value.empty()) {
    text += flat(value);
    return;
  }
  if (holds_no_objects(value)) {
    const std::string line = one_line(value);
    if (indent + line.size() <= line_columns) {
      text += line;
      return;
    }
  }
  const std::string margin(indent + 2, ' ');
  text += value.is_object() ? "{\n" : "[\n";
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item != value.begin()) text += ",\n";
    text += margin;
    if (value.is_object()) text += flat(Json(item.key())) + ": ";
    append(text, *item, indent + 2);
  }
  text += '\n';
  text.append(indent, ' ');
  text += value.is_object() ? '}' : ']';
}

}  // namespace

std::string pretty(const Json& value) {
  std::string text;
  append(text, value, 0);
  return text;
}

}  // namespace halocline::io
