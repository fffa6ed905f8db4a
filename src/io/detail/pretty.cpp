// SPDX-License-Identifier: BSD-3-Clause
#include "io/detail/pretty.hpp"

#include <algorithm>
#include <functional>

namespace halocline::io {
namespace {

constexpr std::size_t line_columns = 120;

std::string flat(const Json& value) { return value.dump(Json::Utf8::replaced); }

bool is_structured(const Json& value) { return value.is_array() || value.is_object(); }

/// Calls visit with the text before each value, which is its key in an object, and the value.
void each_value(const Json& value, const std::function<void(const std::string&, const Json&)>& visit) {
  for (const Json& item : value.elements()) visit("", item);
  for (const auto& [key, item] : value.members()) visit(flat(Json(key)) + ": ", item);
}

/// "{"a": 1, "b": [1, 2]}": on one line, with spaces.
std::string one_line(const Json& value) {
  if (!is_structured(value)) return flat(value);
  std::string text;
  each_value(value, [&](const std::string& before, const Json& item) {
    if (!text.empty()) text += ", ";
    text += before + one_line(item);
  });
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

bool holds_no_objects(const Json& value) {
  bool none = true;
  each_value(value, [&](const std::string&, const Json& item) {
    none = none && !item.is_object() && std::ranges::none_of(item.elements(), is_structured);
  });
  return none;
}

void append(std::string& text, const Json& value, std::size_t indent) {
  if (value.elements().empty() && value.members().empty()) {
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
  std::string between = value.is_object() ? "{\n" : "[\n";
  each_value(value, [&](const std::string& before, const Json& item) {
    text += between + margin + before;
    append(text, item, indent + 2);
    between = ",\n";
  });
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
