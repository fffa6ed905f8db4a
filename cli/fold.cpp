// SPDX-License-Identifier: BSD-3-Clause
#include "fold.hpp"

#include <algorithm>

namespace cli {
namespace {

std::size_t indent_of(std::string_view line, std::size_t columns) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.rfind("  ", columns / 2);
  if (gap != std::string_view::npos && gap + 2 > begin) return line.find_first_not_of(' ', gap);
  return begin >= columns / 4 ? begin : begin + 2;
}

}  // namespace

std::string folded_line(std::string_view line, std::size_t indent, std::size_t columns) {
  if (columns_of(line) <= columns) return std::string(line);
  std::string text;
  const std::string margin(indent, ' ');
  std::size_t used = 0;   // bytes of the line
  std::size_t shown = 0;  // columns of the part that is being written
  while (used < line.size()) {
    const std::size_t word = line.find_first_not_of(' ', used);
    const std::size_t end = std::min(line.find(' ', word), line.size());
    const std::size_t width = columns_of(line.substr(used, end - used));
    if (shown > indent && shown + width > columns) {
      text += "\n" + margin;
      shown = indent;
      used = word;
      continue;
    }
    text += line.substr(used, end - used);
    shown += width;
    used = end;
  }
  return text;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & '\xc0') != '\x80'; }));
}

std::string folded(std::string_view text, std::size_t columns) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    result += folded_line(line.substr(0, line.find_last_not_of(' ') + 1), indent_of(line, columns), columns);
    if (end < text.size()) result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace cli
