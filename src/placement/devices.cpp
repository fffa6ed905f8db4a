// SPDX-License-Identifier: BSD-3-Clause
#include "placement/devices.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "halocline/error.hpp"

namespace halocline::placement {
namespace {

/// Numbers devices in the order in which ranks list them, so that rank 0's order is the order on all ranks.
struct Visibility {
  std::vector<std::vector<int>> devices_of;  ///< [rank], in the rank's own order
  int devices = 0;
};

Visibility numbered(std::span<const std::vector<std::string>> seen) {
  Visibility visibility;
  std::map<std::string, int> number_of;
  for (std::size_t rank = 0; rank < seen.size(); ++rank) {
    auto& mine = visibility.devices_of.emplace_back();
    for (const auto& uuid : seen[rank]) {
      const auto [found, is_new] = number_of.try_emplace(uuid, visibility.devices);
      if (is_new) ++visibility.devices;
      if (std::find(mine.begin(), mine.end(), found->second) != mine.end()) {
        throw InvalidArgument(fmt::format("rank {} of the node sees device {} twice; allowed is once", rank, uuid));
      }
      mine.push_back(found->second);
    }
    if (mine.empty()) {
      throw InvalidArgument(fmt::format("rank {} of the node sees 0 devices; allowed is 1 or more", rank));
    }
  }
  return visibility;
}

[[noreturn]] void refuse(int per_rank, std::size_t ranks, int devices) {
  throw InvalidArgument(fmt::format(
      "devices per rank is {}; allowed is {}: {} rank{} of this node see{} {} device{}", per_rank,
      devices < 2 * static_cast<int>(ranks) ? "1" : fmt::format("1 to {}", devices / static_cast<int>(ranks)), ranks,
      ranks == 1 ? "" : "s", ranks == 1 ? "s" : "", devices, devices == 1 ? "" : "s"));
}

/// Groups ranks that are connected by devices that both see, each group in rank order.
std::vector<std::vector<std::size_t>> groups_of(const Visibility& visibility) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<bool> taken(visibility.devices_of.size(), false);
  for (std::size_t first = 0; first < taken.size(); ++first) {
    if (taken[first]) continue;
    std::vector<std::size_t> group{first};
    taken[first] = true;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto& near = visibility.devices_of[group[i]];
      for (std::size_t other = 0; other < taken.size(); ++other) {
        const auto& far = visibility.devices_of[other];
        if (taken[other] || std::find_first_of(near.begin(), near.end(), far.begin(), far.end()) == near.end())
          continue;
        taken[other] = true;
        group.push_back(other);
      }
    }
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Assigns blocks of one list of devices that R ranks see.
std::vector<std::vector<int>> in_blocks(const std::vector<int>& devices, std::size_t ranks,
                                        std::optional<int> per_rank) {
  const std::size_t available = devices.size();
  std::vector<std::vector<int>> blocks(ranks);
  const auto wanted = static_cast<std::size_t>(per_rank.value_or(1));
  if (wanted > 1 && wanted * ranks > available) refuse(*per_rank, ranks, static_cast<int>(available));
  for (std::size_t r = 0; r < ranks; ++r) {
    std::size_t first = r * available / ranks;
    std::size_t last = (r + 1) * available / ranks;
    if (available < ranks) {
      last = first + 1;
    } else if (per_rank) {
      first = r * wanted;
      last = first + wanted;
    }
    for (std::size_t d = first; d < last; ++d) blocks[r].push_back(devices[d]);
  }
  return blocks;
}

/// Kuhn's augmenting paths. In each round a rank gets one more device; devices accept one more rank in a round only
/// when no path leads to a free device any more. A path never takes from another rank or device what it had.
class Matching {
 public:
  Matching(const Visibility& visibility, std::vector<std::size_t> ranks)
      : visibility_(&visibility),
        ranks_(std::move(ranks)),
        driven_(visibility.devices_of.size()),
        drivers_(static_cast<std::size_t>(visibility.devices)) {}

  void give(std::optional<int> per_rank) {
    for (const std::size_t rank : ranks_) augment(rank, 1);
    for (std::size_t share = 2; share <= ranks_.size(); ++share) {
      for (const std::size_t rank : ranks_) {
        if (driven_[rank].empty()) augment(rank, share);
      }
    }
    // A rank that cannot get one more device now cannot get one later either.
    std::vector<std::size_t> hopeful = ranks_;
    for (int round = 2; !hopeful.empty() && round <= per_rank.value_or(visibility_->devices); ++round) {
      std::erase_if(hopeful, [&](std::size_t rank) { return !augment(rank, 1); });
    }
    for (const std::size_t rank : ranks_) {
      if (per_rank && std::cmp_less(driven_[rank].size(), *per_rank)) {
        throw InvalidArgument(
            fmt::format("devices per rank is {}; allowed for rank {} of this node is {}: it sees {}, some of which "
                        "others drive",
                        *per_rank, rank, driven_[rank].size(), visibility_->devices_of[rank].size()));
      }
    }
  }
  [[nodiscard]] const std::vector<int>& of(std::size_t rank) const { return driven_[rank]; }

 private:
  bool augment(std::size_t rank, std::size_t share) {
    std::vector<bool> visited(drivers_.size(), false);
    return find(rank, share, visited);
  }
  /// Depth first; if a device is full, tries to move one of its ranks to another device.
  bool find(std::size_t rank, std::size_t share, std::vector<bool>& visited) {
    for (const int device : visibility_->devices_of[rank]) {
      const auto d = static_cast<std::size_t>(device);
      if (visited[d] || std::find(driven_[rank].begin(), driven_[rank].end(), device) != driven_[rank].end()) continue;
      visited[d] = true;
      if (drivers_[d].size() >= share) {
        const auto leaves = [&](std::size_t other) { return find(other, share, visited); };
        const auto other = std::find_if(drivers_[d].begin(), drivers_[d].end(), leaves);
        if (other == drivers_[d].end()) continue;
        std::erase(driven_[*other], device);
        drivers_[d].erase(other);
      }
      driven_[rank].push_back(device);
      drivers_[d].push_back(rank);
      return true;
    }
    return false;
  }

  const Visibility* visibility_;
  std::vector<std::size_t> ranks_;
  std::vector<std::vector<int>> driven_;           ///< [rank]
  std::vector<std::vector<std::size_t>> drivers_;  ///< [device]
};

}  // namespace

std::vector<std::vector<int>> share_devices(std::span<const std::vector<std::string>> seen,
                                            std::optional<int> per_rank) {
  if (per_rank && *per_rank < 1) {
    throw InvalidArgument(fmt::format("devices per rank is {}; allowed is 1 or more", *per_rank));
  }
  const Visibility visibility = numbered(seen);
  std::vector<std::vector<int>> driven(seen.size());
  for (const auto& group : groups_of(visibility)) {
    const auto& first = visibility.devices_of[group[0]];
    const bool alike = std::all_of(group.begin(), group.end(), [&](std::size_t rank) {
      const auto& other = visibility.devices_of[rank];
      return std::is_permutation(first.begin(), first.end(), other.begin(), other.end());
    });
    if (alike) {
      const auto blocks = in_blocks(first, group.size(), per_rank);
      for (std::size_t i = 0; i < group.size(); ++i) driven[group[i]] = blocks[i];
    } else {
      Matching matching(visibility, group);
      matching.give(per_rank);
      for (const std::size_t rank : group) driven[rank] = matching.of(rank);
    }
  }
  // Converts the node's numbers to each rank's own.
  for (std::size_t rank = 0; rank < driven.size(); ++rank) {
    const auto& mine = visibility.devices_of[rank];
    for (int& device : driven[rank]) {
      device = static_cast<int>(std::find(mine.begin(), mine.end(), device) - mine.begin());
    }
    std::sort(driven[rank].begin(), driven[rank].end());
  }
  return driven;
}

}  // namespace halocline::placement
