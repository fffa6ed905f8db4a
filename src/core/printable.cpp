// SPDX-License-Identifier: BSD-3-Clause
#include "core/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/utf8.hpp"

namespace halocline {
namespace {

using CodePoint = std::uint32_t;

/// First and last of the code points that are escaped.
constexpr std::array<std::pair<CodePoint, CodePoint>, 8> escaped{{
    {0x00, 0x1f},
    {0x7f, 0x9f},
    {0x061c, 0x061c},  // Arabic letter mark
    {0x200b, 0x200f},  // zero width, directional marks
    {0x2028, 0x202e},  // line and paragraph separators, directional embeddings and overrides
    {0x2060, 0x206f},  // invisible operators, directional isolates
    {0xfeff, 0xfeff},  // byte order mark
    {0xfff9, 0xfffb},  // interlinear annotations
}};

void append_escape(std::string& line, char kind, CodePoint code, int digits) {
  line += '\\';
  line += kind;
  for (int at = digits - 1; at >= 0; --at) line += "0123456789abcdef"[code >> (4 * static_cast<unsigned>(at)) & 0xfU];
}

std::string escaped_text(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character next = first_character(text);
    if (next.code >= 0x20 && next.code < 0x7f) {
      line += text[0];
      text.remove_prefix(1);
      continue;
    }
    const bool special = std::any_of(escaped.begin(), escaped.end(), [&](const auto& range) {
      return next.code >= range.first && next.code <= range.second;
    });
    if (next.bytes == 0) {
      append_escape(line, 'x', static_cast<unsigned char>(text[0]), 2);
    } else if (text[0] == '\n' || text[0] == '\t') {
      line += ' ';
    } else if (special) {
      append_escape(line, next.bytes == 1 ? 'x' : 'u', next.code, next.bytes == 1 ? 2 : 4);
    } else {
      line += text.substr(0, next.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return line;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string line = escaped_text(text);
  if (line.size() <= most) return line;
  std::size_t head = most / 2;
  std::size_t tail = line.size() - most / 2;
  while (head > 0 && continues_character(line[head])) --head;
  while (tail < line.size() && continues_character(line[tail])) ++tail;
  return line.substr(0, head) + "... (" + std::to_string(tail - head) + " bytes left out) ..." + line.substr(tail);
}

}  // namespace halocline
