// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace halocline::exchange {
namespace {

using Item = Selection::Item;

/// One entry for each field; empty for fields that are not exchanged.
using Items = std::vector<std::optional<Item>>;

/// Changes of two fields are tried only if there are at most this many: that takes some 10 ms, during which other ranks
/// wait.
constexpr std::size_t most_pairs = 30'000;

Items by_field(const Selection& selection, std::size_t fields) {
  Items items(fields);
  for (const Item& item : selection.items) items.at(item.field.index()) = item;
  return items;
}

std::uint64_t token_of(const Items& items) {
  Selection selection;
  for (const auto& item : items) {
    if (item) selection.items.push_back(*item);
  }
  return selection.token();
}

/// The other ways in which a rank could exchange a field.
std::vector<std::optional<Item>> alternatives(field_id field, const std::optional<Item>& mine,
                                              const partition::Geometry& geometry) {
  std::vector<std::optional<Item>> all;
  if (mine) all.emplace_back();
  std::vector<Directions> directions{Item{}.directions};
  if (mine && mine->directions != directions.front()) directions.push_back(mine->directions);
  std::vector<std::int64_t> depths{Item::whole};
  for (std::int64_t depth = 1; depth < geometry.halo_of(field).most(); ++depth) depths.push_back(depth);
  for (int buffer = 0; buffer < geometry.fields[field.index()].buffers; ++buffer) {
    for (const Directions& in : directions) {
      for (const std::int64_t depth : depths) {
        const Item item{.field = field, .buffer = buffer, .directions = in, .depth = depth};
        if (item != mine) all.emplace_back(item);
      }
    }
  }
  return all;
}

/// Calls found() with the items changed in one field at or after `first`; returns whether that was true for any.
template <typename Found>
bool any_change(Items& items, std::size_t first, const partition::Geometry& geometry, Found&& found) {
  for (std::size_t i = first; i < items.size(); ++i) {
    const std::optional<Item> mine = items[i];
    for (const auto& other : alternatives(field_id(static_cast<std::int64_t>(i)), mine, geometry)) {
      items[i] = other;
      if (found(i)) return true;
    }
    items[i] = mine;
  }
  return false;
}

/// Sets all buffers as if each field had been swapped `times` more times. Returns whether that changed any.
bool swapped_more(Items& items, const Items& mine, int times, const partition::Geometry& geometry) {
  bool any = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = mine[i];
    if (!items[i]) continue;
    items[i]->buffer = (mine[i]->buffer + times) % geometry.fields[i].buffers;
    any = any || items[i] != mine[i];
  }
  return any;
}

/// The selection with the token, if it is among those tried near `mine`.
std::optional<Items> nearest(const Items& mine, std::uint64_t token, const partition::Geometry& geometry) {
  Items items = mine;
  const auto has_token = [&](std::size_t) { return token_of(items) == token; };
  if (any_change(items, 0, geometry, has_token)) return items;
  int most_buffers = 1;
  for (const FieldDescriptor& field : geometry.fields) most_buffers = std::max(most_buffers, field.buffers);
  for (int times = 1; times < most_buffers; ++times) {
    if (swapped_more(items, mine, times, geometry) && has_token(0)) return items;
  }
  std::size_t changes = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    changes += alternatives(field_id(static_cast<std::int64_t>(i)), mine[i], geometry).size();
  }
  if (changes * changes / 2 > most_pairs) return std::nullopt;
  items = mine;
  const auto with_another = [&](std::size_t i) { return any_change(items, i + 1, geometry, has_token); };
  if (any_change(items, 0, geometry, with_another)) return items;
  return std::nullopt;
}

std::string depth_text(std::int64_t depth) {
  return depth == Item::whole ? "the whole halo" : fmt::format("depth {}", depth);
}

/// "the other side ..., this side ..."
std::string change_text(const std::string& name, const std::optional<Item>& mine, const std::optional<Item>& theirs) {
  if (!mine) return fmt::format("the other side exchanges '{}', this side does not", name);
  if (!theirs) return fmt::format("the other side does not exchange '{}', this side does", name);
  std::vector<std::string> changes;
  if (mine->buffer != theirs->buffer) {
    changes.push_back(fmt::format("the other side exchanges '{}' in buffer {}, this side in buffer {}", name,
                                  theirs->buffer, mine->buffer));
  }
  if (mine->depth != theirs->depth) {
    changes.push_back(fmt::format("the other side exchanges {} of '{}', this side {}", depth_text(theirs->depth), name,
                                  depth_text(mine->depth)));
  }
  if (mine->directions != theirs->directions) {
    changes.push_back(fmt::format("the other side exchanges '{}' in all directions, this side in some", name));
  }
  return fmt::format("{}", fmt::join(changes, "; "));
}

}  // namespace

std::string difference(const Selection& mine, std::uint64_t token, const partition::Geometry& geometry) {
  const Items here = by_field(mine, geometry.fields.size());
  const auto there = nearest(here, token, geometry);
  if (!there) return "";
  std::string text;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i] == (*there)[i]) continue;
    text += fmt::format("{}{}", text.empty() ? "" : "; ", change_text(geometry.fields[i].name, here[i], (*there)[i]));
  }
  return text;
}

std::string selection_text(const Selection& selection, const partition::Geometry& geometry) {
  std::string text;
  for (const Item& item : selection.items) {
    text += fmt::format("{}'{}' (buffer {}", text.empty() ? "" : ", ", geometry.fields[item.field.index()].name,
                        item.buffer);
    if (item.depth != Item::whole) text += fmt::format(", depth {}", item.depth);
    if (!item.directions.all()) text += fmt::format(", {} of 26 directions", item.directions.count());
    text += ")";
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace halocline::exchange
