// SPDX-License-Identifier: BSD-3-Clause
#include "machine/network/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/limits.hpp"
#include "halocline/error.hpp"

namespace halocline::machine::network {
namespace {

/// "[0-3,12]" from `at` on, which is behind the bracket: one text for each number, with its zeros.
std::vector<std::string> numbers_of(std::string_view inside, const At& at) {
  std::vector<std::string> numbers;
  while (!inside.empty()) {
    const auto comma = std::min(inside.find(','), inside.size());
    const std::string_view range = inside.substr(0, comma);
    inside.remove_prefix(std::min(comma + 1, inside.size()));
    const auto dash = range.find('-');
    const std::string_view first = range.substr(0, dash);
    const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
    std::int64_t from = 0;
    std::int64_t to = 0;
    const auto read = [](std::string_view word, std::int64_t& value) {
      const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
      return !word.empty() && word.size() < 18 && end.ec == std::errc() && end.ptr == word.data() + word.size();
    };
    if (!read(first, from) || !read(last, to) || to < from || to - from >= limits::nodes) {
      refuse_at(at,
                fmt::format("'{}' in brackets; allowed is a number, or a range of numbers that does not fall", range));
    }
    if (std::ssize(numbers) + to - from >= limits::nodes)
      refuse_at(at, fmt::format("more than {} names", limits::nodes));
    for (std::int64_t n = from; n <= to; ++n) numbers.push_back(fmt::format("{:0{}}", n, first.size()));
  }
  if (numbers.empty()) refuse_at(at, "empty brackets; allowed are numbers and ranges");
  return numbers;
}

/// Texts that may stand at one place of a name.
using Alternatives = std::vector<std::string>;

/// The parts of an item of a list, text and brackets in turn. Number and size of the names are checked part by part, before any is made.
std::vector<Alternatives> alternatives_of(std::string_view item, const At& at) {
  std::vector<Alternatives> parts;
  std::size_t count = 1;
  std::size_t bytes = 0;
  const auto add = [&](Alternatives texts) {
    count *= texts.size();
    bytes += std::ranges::max_element(texts, {}, &std::string::size)->size();
    if (std::cmp_greater(count, limits::nodes)) refuse_at(at, fmt::format("more than {} names", limits::nodes));
    if (std::cmp_greater(bytes, limits::name_bytes))
      refuse_at(at, fmt::format("a name of {} bytes or more; allowed are at most {}", bytes, limits::name_bytes));
    parts.push_back(std::move(texts));
  };
  while (!item.empty()) {
    const auto open = std::min(item.find_first_of("[]"), item.size());
    add({std::string(item.substr(0, open))});
    if (open == item.size()) break;
    const auto close = item.find(']', open);
    if (item[open] == ']' || close == std::string_view::npos)
      refuse_at(at, fmt::format("'{}': brackets do not match", item));
    add(numbers_of(item.substr(open + 1, close - open - 1), at));
    item.remove_prefix(close + 1);
  }
  return parts;
}

/// The names of one item of a list.
std::vector<std::string> expanded(std::string_view item, const At& at) {
  const auto parts = alternatives_of(item, at);
  std::size_t count = 1;
  for (const Alternatives& texts : parts) count *= texts.size();
  std::vector<std::string> names(count);
  std::size_t each = count;  // names in a row that have one text of the part
  for (const Alternatives& texts : parts) {
    each /= texts.size();
    for (std::size_t n = 0; n < count; ++n) names[n] += texts[n / each % texts.size()];
  }
  return names;
}

}  // namespace

void refuse_at(const At& at, const std::string& what) {
  throw InvalidArgument(fmt::format("{}:{}: {}", at.file, at.line, what));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::vector<std::string> hostlist(std::string_view expression, const At& at) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= expression.size(); ++i) {
    const char c = i < expression.size() ? expression[i] : ',';
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c != ',' || (depth > 0 && i < expression.size())) continue;
    const std::string_view item = expression.substr(begin, i - begin);
    begin = i + 1;
    if (item.empty()) refuse_at(at, fmt::format("'{}': a name is empty", expression));
    for (std::string& name : expanded(item, at)) names.push_back(std::move(name));
    if (std::cmp_greater(names.size(), limits::nodes)) refuse_at(at, fmt::format("more than {} names", limits::nodes));
  }
  return names;
}

double positive(std::string_view word, std::string_view name, const At& at) {
  double value = 0;
  const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || end.ec != std::errc() || end.ptr != word.data() + word.size() || !(value > 0) ||
      !std::isfinite(value)) {
    refuse_at(at, fmt::format("{} is '{}'; allowed is a number above 0", name, word));
  }
  return value;
}

}  // namespace halocline::machine::network
