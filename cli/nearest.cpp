// SPDX-License-Identifier: BSD-3-Clause
#include "nearest.hpp"

#include <algorithm>
#include <vector>

namespace cli {
namespace {

/// Words longer than this resemble nothing.
constexpr std::size_t longest_word = 64;

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

std::optional<std::string> only_name_that_begins_with(std::string_view word, std::span<const std::string> names) {
  std::optional<std::string> found;
  for (const std::string& name : names) {
    if (!without_dashes(name).starts_with(word)) continue;
    if (found) return std::nullopt;
    found = name;
  }
  return found;
}

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
  // Row i holds the distances of the first i letters of one from the first j of the other.
  std::vector<std::size_t> before(other.size() + 1);
  std::vector<std::size_t> last(other.size() + 1);
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[other.size()];
}

std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names) {
  word = without_dashes(word);
  if (word.empty() || word.size() > longest_word) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& name : names) {
    const std::size_t of_name = edit_distance(word, without_dashes(name));
    // A name of which nothing is left is not meant.
    if (of_name >= std::min(distance, without_dashes(name).size())) continue;
    distance = of_name;
    nearest = name;
  }
  return nearest ? nearest : only_name_that_begins_with(word, names);
}

}  // namespace cli
