// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "comm/gather.hpp"
#include "halocline/error.hpp"

namespace halocline {

auto members(MaybeConst<NamedValue> auto& value) { return std::tie(value.name, value.text, value.hash); }

namespace {

constexpr std::size_t longest_text = 120;
constexpr std::size_t most_differences = 3;

/// The value as it appears in error texts.
NamedValue shortened(NamedValue value) {
  if (value.text.size() > longest_text) value.text.resize(longest_text);
  return value;
}

const NamedValue* find(const std::vector<NamedValue>& values, const std::string& name) {
  const auto found = std::ranges::find(values, name, &NamedValue::name);
  return found == values.end() ? nullptr : &*found;
}

/// Describes how a value differs between rank 0 and another rank; either may have none.
std::string difference(const std::string& name, const NamedValue* first, std::size_t rank, const NamedValue* other) {
  const bool look_alike = first != nullptr && other != nullptr && first->text == other->text;
  const auto text = [look_alike](const NamedValue* value) {
    if (value == nullptr) return std::string("none");
    return look_alike ? fmt::format("{} (digest {:08x})", value->text, value->hash >> 32) : value->text;
  };
  return fmt::format("{}: rank 0 has {}, rank {} has {}", name, text(first), rank, text(other));
}

/// Describes each value that differs, with the first rank on which it differs from rank 0's.
std::vector<std::string> differences(const std::vector<std::vector<NamedValue>>& lists) {
  const std::vector<NamedValue>& first = lists[0];
  std::vector<std::string> found;
  std::vector<std::string> names;
  for (std::size_t rank = 1; rank < lists.size(); ++rank) {
    const std::vector<NamedValue>& others = lists[rank];
    const auto compare = [&](const std::string& name) {
      const NamedValue* here = find(first, name);
      const NamedValue* there = find(others, name);
      if (here != nullptr && there != nullptr && here->hash == there->hash) return;
      if (std::ranges::find(names, name) != names.end()) return;
      names.push_back(name);
      found.push_back(difference(name, here, rank, there));
    };
    for (const NamedValue& value : first) compare(value.name);
    for (const NamedValue& value : others) compare(value.name);
  }
  return found;
}

}  // namespace

NamedValue named(std::string name, std::string text) {
  const std::uint64_t hash = Hash().add(text).value();
  return {std::move(name), std::move(text), hash};
}

void check_alike(comm::RankGroup& comm, std::span<const NamedValue> mine) {
  Hash all;
  for (const NamedValue& value : mine) all.add(value.name).add(static_cast<std::int64_t>(value.hash));
  const auto hashes = comm::gather_value(comm, all.value());
  if (std::ranges::all_of(hashes, [&](std::uint64_t hash) { return hash == hashes[0]; })) return;

  std::vector<NamedValue> shown;
  std::ranges::transform(mine, std::back_inserter(shown), shortened);
  const std::vector<std::string> found = differences(comm::gather(comm, shown));
  std::string text;
  for (std::size_t i = 0; i < std::min(found.size(), most_differences); ++i) {
    text += (i == 0 ? "" : "; ") + found[i];
  }
  if (found.size() > most_differences) text += fmt::format("; and {} more", found.size() - most_differences);
  throw InvalidArgument(text + "; allowed is the same on all ranks");
}

}  // namespace halocline
