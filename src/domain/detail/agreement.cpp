// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "comm/gather.hpp"
#include "core/ranks_text.hpp"
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

/// Describes how a value differs from rank 0's, with all ranks on which it does; a rank may have none. Empty if it does not.
std::string difference(const std::string& name, const std::vector<std::vector<NamedValue>>& lists) {
  constexpr std::size_t most_others = 3;
  struct Other {
    const NamedValue* value;
    std::vector<std::size_t> ranks;
  };
  const NamedValue* const first = find(lists[0], name);
  const auto same = [](const NamedValue* a, const NamedValue* b) {
    return a == nullptr || b == nullptr ? a == b : a->hash == b->hash;
  };
  std::vector<Other> others;
  for (std::size_t rank = 1; rank < lists.size(); ++rank) {
    const NamedValue* const value = find(lists[rank], name);
    if (same(first, value)) continue;
    auto found = std::ranges::find_if(others, [&](const Other& one) { return same(one.value, value); });
    if (found == others.end()) found = others.insert(found, {value, {}});
    found->ranks.push_back(rank);
  }
  if (others.empty()) return {};
  const bool look_alike = first != nullptr && std::ranges::any_of(others, [&](const Other& one) {
                            return one.value != nullptr && one.value->text == first->text;
                          });
  const auto text = [look_alike](const NamedValue* value) {
    if (value == nullptr) return std::string("none");
    return look_alike ? fmt::format("{} (digest {:08x})", value->text, value->hash >> 32) : value->text;
  };
  std::string whole = fmt::format("{}: rank 0 has {}", name, text(first));
  for (std::size_t i = 0; i < std::min(others.size(), most_others); ++i) {
    const auto& [value, ranks] = others[i];
    whole += fmt::format(", {} {} {}", ranks_text(ranks), ranks.size() == 1 ? "has" : "have", text(value));
  }
  if (others.size() > most_others) whole += fmt::format(", and there are {} more values", others.size() - most_others);
  return whole;
}

/// Describes each value that differs.
std::vector<std::string> differences(const std::vector<std::vector<NamedValue>>& lists) {
  std::vector<std::string> found;
  std::vector<std::string> names;
  for (const std::vector<NamedValue>& list : lists) {
    for (const NamedValue& value : list) {
      if (std::ranges::find(names, value.name) != names.end()) continue;
      names.push_back(value.name);
      if (std::string text = difference(value.name, lists); !text.empty()) found.push_back(std::move(text));
    }
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
