// SPDX-License-Identifier: BSD-3-Clause
#include "context.hpp"

#include "fold.hpp"
#include "outputs.hpp"

namespace cli {

void Context::print_text(std::string_view text) const { print_lines(folded(text)); }

void Context::print_lines(std::string_view text) const {
  if (!root() || options.json) return;
  print_out(text);
  flush_out();
}

void Context::print_document(const Json& document) const {
  if (root() && options.json) print_json(text_of(document));
}

void Context::print_json(const std::string& text) const {
  if (root() && options.json) print_out(text + "\n");
}

std::string text_of(const Json& document) { return document.indented(); }

Json document_of(std::string_view command) {
  return {{"schema", "halocline-cli/1"}, {"command", command}, {"version", HALOCLINE_VERSION}};
}

}  // namespace cli
