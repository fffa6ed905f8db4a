// SPDX-License-Identifier: BSD-3-Clause
#include "plan/from_boxes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline {
namespace {

struct OwnedBox {
  Box box;
  placement::Owner owner;
};

std::string text_of(const OwnedBox& owned) {
  return fmt::format("box {} of rank {}", to_string(owned.box), owned.owner.rank.value());
}

void check_number(std::size_t boxes, rank_id rank, const machine::RankEntry& entry) {
  if (boxes == entry.devices.size()) return;
  throw InvalidArgument(
      fmt::format("number of boxes of rank {} is {}; allowed is one for each device that it drives, {} "
                  "(DomainOptions::devices.per_rank)",
                  rank.value(), boxes, entry.devices.size()));
}

std::vector<OwnedBox> with_owners(std::span<const std::vector<Box>> boxes, const machine::MachineMap& machine) {
  std::vector<OwnedBox> all;
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    const rank_id rank(static_cast<std::int64_t>(r));
    check_number(boxes[r].size(), rank, machine.ranks.at(r));
    for (std::size_t i = 0; i < boxes[r].size(); ++i) {
      all.push_back({boxes[r][i], {rank, static_cast<int>(i)}});
      if (!boxes[r][i].empty()) continue;
      throw InvalidArgument(fmt::format("{} is empty; allowed are boxes of 1 cell or more", text_of(all.back())));
    }
  }
  if (all.empty()) throw InvalidArgument("number of boxes of all ranks is 0; allowed is 1 or more");
  return all;
}

Vec3 extent_of(const std::vector<OwnedBox>& boxes) {
  Vec3 extent;
  for (int dim = 0; dim < 3; ++dim) {
    const auto lowest = std::ranges::min_element(boxes, {}, [dim](const OwnedBox& owned) { return owned.box.lo[dim]; });
    if (lowest->box.lo[dim] != 0) {
      throw InvalidArgument(fmt::format("lowest position of all boxes in {} is {}, of {}; allowed is 0", "xyz"[dim],
                                        lowest -> box.lo[dim], text_of(*lowest)));
    }
    for (const OwnedBox& owned : boxes) extent[dim] = std::max(extent[dim], owned.box.hi[dim]);
  }
  static_cast<void>(checked_volume(extent));
  return extent;
}

partition::Cuts cuts_of(const std::vector<OwnedBox>& boxes, const Vec3& extent) {
  partition::Cuts cuts;
  for (int dim = 0; dim < 3; ++dim) {
    auto& positions = cuts[static_cast<std::size_t>(dim)];
    for (const OwnedBox& owned : boxes) positions.push_back(owned.box.lo[dim]);
    positions.push_back(extent[dim]);
    std::ranges::sort(positions);
    const auto repeated = std::ranges::unique(positions);
    positions.erase(repeated.begin(), repeated.end());
  }
  return cuts;
}

/// The slab that a box is, where it is one slab exactly.
std::optional<std::int64_t> slab_of(const Box& box, int dim, const std::vector<std::int64_t>& cuts) {
  const auto lower = std::ranges::lower_bound(cuts, box.lo[dim]);
  if (*std::next(lower) != box.hi[dim]) return std::nullopt;
  return lower - cuts.begin();
}

/// By position in the grid of the cuts; nothing where the boxes are not its cells, each once.
std::optional<std::vector<placement::Owner>> owners_of(const std::vector<OwnedBox>& boxes,
                                                       const partition::Cuts& cuts) {
  Vec3 grid;
  for (int dim = 0; dim < 3; ++dim) grid[dim] = std::ssize(cuts[static_cast<std::size_t>(dim)]) - 1;
  // A grid of many more cells than boxes has a number of them that may not fit.
  const std::int64_t number = std::ssize(boxes);
  if (grid.x * grid.y > number || grid.x * grid.y * grid.z != number) return std::nullopt;
  std::vector<placement::Owner> owners(boxes.size());
  for (const auto& [box, owner] : boxes) {
    Vec3 index;
    for (int dim = 0; dim < 3; ++dim) {
      const auto slab = slab_of(box, dim, cuts[static_cast<std::size_t>(dim)]);
      if (!slab) return std::nullopt;
      index[dim] = *slab;
    }
    placement::Owner& taken = owners[static_cast<std::size_t>((index.z * grid.y + index.y) * grid.x + index.x)];
    if (taken.rank.valid()) return std::nullopt;
    taken = owner;
  }
  return owners;
}

void check_disjoint(std::vector<OwnedBox> boxes) {
  std::ranges::stable_sort(boxes, {}, [](const OwnedBox& owned) { return owned.box.lo.z; });
  for (auto first = boxes.begin(); first != boxes.end(); ++first) {
    for (auto second = std::next(first); second != boxes.end() && second->box.lo.z < first->box.hi.z; ++second) {
      if (!first->box.overlaps(second->box)) continue;
      throw InvalidArgument(
          fmt::format("{} and {} overlap; allowed is one owner for each cell", text_of(*first), text_of(*second)));
    }
  }
}

std::int64_t cells_within(const Box& part, const std::vector<OwnedBox>& disjoint) {
  std::int64_t cells = 0;
  for (const OwnedBox& owned : disjoint) cells += part.intersection(owned.box).volume();
  return cells;
}

/// Halves the domain around a cell that no box has.
void check_complete(const std::vector<OwnedBox>& disjoint, const Vec3& extent) {
  Box part = Box::of_extent(extent);
  if (cells_within(part, disjoint) == part.volume()) return;
  while (part.volume() > 1) {
    int longest = 0;
    for (int dim = 1; dim < 3; ++dim) {
      if (part.extent()[dim] > part.extent()[longest]) longest = dim;
    }
    Box half = part;
    half.hi[longest] = part.lo[longest] + part.extent()[longest] / 2;
    if (cells_within(half, disjoint) == half.volume()) {
      part.lo[longest] = half.hi[longest];
    } else {
      part = half;
    }
  }
  throw InvalidArgument(
      fmt::format("cell {}, {}, {} is in no rank's box; allowed are boxes that cover the domain of {}, "
                  "which ends where the last of them do",
                  part.lo.x, part.lo.y, part.lo.z, to_string(extent)));
}

/// Of boxes that are disjoint and complete, but no grid, one reaches across the end of another.
[[noreturn]] void refuse_cuts(const std::vector<OwnedBox>& boxes, const partition::Cuts& cuts) {
  for (int dim = 0; dim < 3; ++dim) {
    const auto& positions = cuts[static_cast<std::size_t>(dim)];
    for (const OwnedBox& owned : boxes) {
      if (slab_of(owned.box, dim, positions)) continue;
      const std::int64_t within = *std::ranges::upper_bound(positions, owned.box.lo[dim]);
      const auto other = std::ranges::find(boxes, within, [dim](const OwnedBox& o) { return o.box.lo[dim]; });
      throw InvalidArgument(
          fmt::format("{} reaches across {} = {}, where {} begins; allowed are cuts through the whole "
                      "domain",
                      text_of(owned), "xyz"[dim], within, text_of(*other)));
    }
  }
  throw InternalError("boxes that are disjoint, complete and cut through are no grid");
}

}  // namespace

GivenBoxes from_boxes(std::span<const std::vector<Box>> boxes, const machine::MachineMap& machine) {
  const std::vector<OwnedBox> all = with_owners(boxes, machine);
  GivenBoxes given{.extent = extent_of(all), .cuts = {}, .owners = {}};
  given.cuts = cuts_of(all, given.extent);
  auto owners = owners_of(all, given.cuts);
  if (!owners) {
    check_disjoint(all);
    check_complete(all, given.extent);
    refuse_cuts(all, given.cuts);
  }
  given.owners = std::move(*owners);
  return given;
}

}  // namespace halocline
