// SPDX-License-Identifier: BSD-3-Clause
#include "long_document.hpp"

#include <fmt/core.h>

#include "outputs.hpp"

namespace cli {
namespace {

/// As dump(2) has it, `indent` columns further in. Strings in JSON have no line breaks of their own.
std::string shifted_text_of(const Json& value, std::size_t indent) {
  std::string text;
  for (const char c : text_of(value)) {
    text += c;
    if (c == '\n') text.append(indent, ' ');
  }
  return text;
}

void write_list(const LongList& list, const std::function<void(std::string_view)>& write) {
  if (list.size == 0) return write("[]");
  for (std::size_t i = 0; i < list.size; ++i) {
    write(fmt::format("{}\n    {}", i == 0 ? "[" : ",", shifted_text_of(list.element(i), 4)));
  }
  write("\n  ]");
}

}  // namespace

void write_document(const Json& document, const LongList& list, const std::function<void(std::string_view)>& write) {
  std::string_view before = "{";
  for (const auto& [key, value] : document.members()) {
    write(fmt::format("{}\n  {}: ", before, Json(key).dump()));
    if (key == list.key) {
      write_list(list, write);
    } else {
      write(shifted_text_of(value, 2));
    }
    before = ",";
  }
  write("\n}");
}

void print_document(const Context& context, const Json& document, const LongList& list) {
  if (!context.root() || !context.options.json) return;
  write_document(document, list, print_out);
  print_out("\n");
}

}  // namespace cli
