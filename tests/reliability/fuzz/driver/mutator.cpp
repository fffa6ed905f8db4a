// SPDX-License-Identifier: BSD-3-Clause
#include "driver/mutator.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace halocline::fuzz {
namespace {

using test::Seeded;
using namespace std::string_view_literals;

/// Values at the edges of what types and formats can hold.
constexpr std::string_view edges[] = {"0"sv,
                                      "-1"sv,
                                      "1"sv,
                                      "2"sv,
                                      "7"sv,
                                      "64"sv,
                                      "255"sv,
                                      "256"sv,
                                      "1000"sv,
                                      "65535"sv,
                                      "100000"sv,
                                      "262144"sv,
                                      "1000000"sv,
                                      "2147483647"sv,
                                      "2147483648"sv,
                                      "4294967296"sv,
                                      "9223372036854775807"sv,
                                      "9223372036854775808"sv,
                                      "18446744073709551615"sv,
                                      "99999999999999999999"sv,
                                      "1e300"sv,
                                      "1e999"sv,
                                      "-1e300"sv,
                                      "1e-300"sv,
                                      "1e-310"sv,
                                      "0.1"sv,
                                      "nan"sv,
                                      "inf"sv,
                                      "true"sv,
                                      "null"sv,
                                      "\"\""sv,
                                      "\0"sv,
                                      "\xff"sv,
                                      "\xc3"sv,
                                      "\xed\xa0\x80"sv,
                                      "\xe2\x80\xae"sv,
                                      "\x1b[31m"sv,
                                      "\\u0000"sv,
                                      "\\ud800"sv,
                                      "\n"sv,
                                      "\r\n"sv,
                                      "\t"sv,
                                      " "sv,
                                      ","sv,
                                      "\""sv,
                                      "'"sv,
                                      "{"sv,
                                      "}"sv,
                                      "["sv,
                                      "]"sv,
                                      "[[[["sv,
                                      "{}"sv,
                                      "[]"sv,
                                      "<"sv,
                                      ">"sv,
                                      "</"sv,
                                      "/>"sv,
                                      "<!--"sv,
                                      "="sv,
                                      "#"sv,
                                      "-"sv,
                                      "\0\0\0\0\0\0\0\0"sv,
                                      "\xff\xff\xff\xff\xff\xff\xff\xff"sv,
                                      "\1\0\0\0\0\0\0\0"sv,
                                      "\0\0\0\0\0\0\0\x80"sv};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' || c == '+';
}

/// The word around or behind a position: its begin and size.
std::pair<std::size_t, std::size_t> word_at(std::string_view text, std::size_t at) {
  while (at < text.size() && !in_word(text[at])) ++at;
  std::size_t begin = at;
  while (begin > 0 && begin <= text.size() && in_word(text[begin - 1])) --begin;
  std::size_t end = at;
  while (end < text.size() && in_word(text[end])) ++end;
  return {begin, end - begin};
}

/// A position from 0 to size, size included.
std::size_t place(std::size_t size, Seeded& random) {
  return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(size)));
}

/// A part of a text: some bytes, or some lines.
std::pair<std::size_t, std::size_t> part_of(std::string_view text, Seeded& random) {
  std::size_t begin = place(text.size(), random);
  std::size_t end = std::min(text.size(), begin + place(random.chance(80) ? 32 : text.size(), random));
  if (random.chance(40)) {
    begin = text.rfind('\n', begin) == std::string_view::npos ? 0 : text.rfind('\n', begin) + 1;
    end = std::min(text.find('\n', std::max(begin, end)), text.size());
    end = std::min(end + 1, text.size());
  }
  return {std::min(begin, end), end - std::min(begin, end)};
}

void put(std::string& text, std::size_t at, std::string_view part) {
  const std::string copy(part);  // which may be of the text itself
  text.insert(std::min(at, text.size()), copy);
}

}  // namespace

Mutator::Mutator(std::vector<std::string> corpus) : corpus_(std::move(corpus)) {
  if (corpus_.empty()) throw std::invalid_argument("the corpus is empty; allowed is one input or more");
  std::set<std::string> words;
  for (const std::string& text : corpus_) {
    for (std::size_t at = 0; at < text.size();) {
      const auto [begin, size] = word_at(text, at);
      if (size > 1 && size < 64) words.insert(text.substr(begin, size));
      at = begin + size + 1;
    }
  }
  words_.assign(words.begin(), words.end());
  // As many as there are words, so that either kind is frequent.
  do {
    for (const std::string_view edge : edges) words_.emplace_back(edge);
  } while (words_.size() < 2 * words.size());
}

const std::string& Mutator::word(Seeded& random) const { return words_[random.next() % words_.size()]; }

std::string Mutator::input(std::uint64_t seed) const {
  Seeded random(seed);
  std::string text = corpus_[random.next() % corpus_.size()];
  // Few changes leave much of the text valid; many reach combinations.
  for (auto left = random.chance(70) ? random.between(1, 3) : random.between(1, 24); left > 0; --left) {
    mutate(text, random);
    if (text.size() > most_bytes) text.resize(most_bytes);
  }
  return text;
}

void Mutator::mutate(std::string& text, Seeded& random) const {
  const auto kind = random.between(0, 99);
  if (kind < 30 || text.empty()) return change_parts(text, random);
  if (kind < 65) {  // a word becomes another
    const auto [begin, size] = word_at(text, place(text.size() - 1, random));
    text.replace(begin, size, word(random));
  } else if (kind < 90) {
    change_bytes(text, random);
  } else {
    repeat(text, random);
  }
}

void Mutator::change_bytes(std::string& text, Seeded& random) const {
  const std::size_t at = place(text.size() - 1, random);
  switch (random.between(0, 4)) {
    case 0: text[at] = static_cast<char>(text[at] ^ (1 << random.between(0, 7))); break;
    case 1: text[at] = static_cast<char>(random.next()); break;
    case 2: text.insert(at, 1, static_cast<char>(random.next())); break;
    case 3: text.erase(at, 1); break;
    default:  // one of the characters that formats give a meaning
      text[at] = "{}[]<>=,:\"'/#-\n\0 \\&.0"[random.between(0, 21)];
  }
}

void Mutator::change_parts(std::string& text, Seeded& random) const {
  const auto [begin, size] = part_of(text, random);
  const std::string& other = corpus_[random.next() % corpus_.size()];
  switch (random.between(0, 4)) {
    case 0: text.erase(begin, size); break;
    case 1: put(text, place(text.size(), random), std::string_view(text).substr(begin, size)); break;
    case 2: {
      const auto [from, count] = part_of(other, random);
      text.replace(begin, random.chance(50) ? size : 0, other, from, count);
      break;
    }
    case 3: put(text, place(text.size(), random), word(random)); break;
    default: text.resize(random.chance(20) ? place(text.size(), random) : text.size());
  }
}

/// Deep nesting, long names, many lines.
void Mutator::repeat(std::string& text, Seeded& random) const {
  const auto [begin, size] = part_of(text, random);
  const std::string part = random.chance(50) ? word(random) : text.substr(begin, size);
  if (part.empty()) return;
  const auto most = static_cast<std::int64_t>((most_bytes + part.size()) / part.size());
  std::string many;
  for (auto left = random.between(1, random.chance(70) ? std::min<std::int64_t>(64, most) : most); left > 0; --left)
    many += part;
  put(text, begin, many);
}

}  // namespace halocline::fuzz
