#include "context.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace cli {

void Context::print_text(std::string_view text) const {
  if (!root() || options.json) return;
  fmt::print("{}", text);
  std::fflush(stdout);
}

void Context::print_document(const Json& document) const {
  if (!root() || !options.json) return;
  fmt::print("{}\n", document.dump(2));
  std::fflush(stdout);
}

Json document_of(std::string_view command) {
  return {{"schema", "halocline-cli/1"}, {"command", command}, {"version", HALOCLINE_VERSION}};
}

}  // namespace cli
