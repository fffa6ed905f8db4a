// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/system.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "model/simulate.hpp"
#include "plan/cut.hpp"
#include "plan/detail/node_moves.hpp"
#include "plan/detail/placements.hpp"
#include "plan/detail/simulated_machine.hpp"

namespace halocline {
namespace {

using SlotOf = std::vector<int>;

/// What simulations may take to improve placements, in squared messages: about a second.
constexpr std::int64_t most_effort = 60'000'000;
/// Placements of a small machine of which each is improved by bounds.
constexpr std::size_t most_improved = 3;
/// Subdomains whose placements are tried one by one.
constexpr std::int64_t most_to_try = 7;
/// Of those, the ones with the smallest bounds that may be simulated.
constexpr std::size_t most_simulated = 64;
/// Grids whose subdomains are moved by the network, those with the least surfaces: fewer on large machines, where each takes half a second.
constexpr std::size_t most_grids = 24;
constexpr std::size_t most_devices_of_grids = 3'072;
/// Moved placements with the least bounds whose times are compared: of the first grid, and of each other.
constexpr std::size_t most_moved_of_first = 8;
constexpr std::size_t most_moved = 2;

std::vector<int> positions_of(const std::vector<placement::Slot>& start, const std::vector<placement::Slot>& slots) {
  std::vector<std::tuple<rank_id, int, int>> sorted;  // rank, ordinal, position
  for (std::size_t s = 0; s < slots.size(); ++s) {
    sorted.emplace_back(slots[s].rank, slots[s].ordinal, static_cast<int>(s));
  }
  std::ranges::sort(sorted);
  SlotOf slot_of;
  for (const placement::Slot& slot : start) {
    slot_of.push_back(std::get<2>(*std::ranges::lower_bound(sorted, std::tuple(slot.rank, slot.ordinal, 0))));
  }
  return slot_of;
}

std::vector<SlotOf> different(std::vector<SlotOf> placements) {
  std::vector<SlotOf> first;
  for (SlotOf& one : placements) {
    if (std::ranges::find(first, one) == first.end()) first.push_back(std::move(one));
  }
  return first;
}

/// Positions of the first partition and of the others with the least surfaces, at most `most`.
std::vector<std::size_t> of_least_surface(const std::vector<partition::Partition>& partitions, std::size_t most) {
  std::vector<std::size_t> kept(partitions.size());
  std::iota(kept.begin(), kept.end(), 0U);
  if (kept.size() <= most) return kept;
  std::ranges::stable_sort(kept.begin() + 1, kept.end(), {}, [&](std::size_t p) {
    return partition::surface_of(partitions[p].extent(), partitions[p].node_grid(), partitions[p].device_grid());
  });
  kept.resize(most);
  return kept;
}

/// A partition on the machine's slots, with placements, by bounds; the first one's start is the placement that nothing moved.
struct Grid {
  explicit Grid(partition::Geometry geometry_in) : geometry(std::move(geometry_in)), messages(geometry) {}

  partition::Geometry geometry;
  Messages messages;
  SlotOf start;
  std::vector<Located> moved;  ///< between nodes, by the network; the start is one of them
};

class SystemSearch {
 public:
  explicit SystemSearch(const PlanRequest& request)
      : request_(request),
        map_(model::as_measured(request.machine)),
        judge_(map_, request.policy, request.device_mpi),
        node_moves_(map_, judge_.interconnect(), judge_.slots()),
        placements_(freedom()) {}

  OnSystem run(const std::vector<partition::Partition>& partitions, const std::vector<placement::Slot>& start) {
    find_grids(partitions, start);
    const Found unmoved{time_of(grids_.front(), grids_.front().start), 0, grids_.front().start};
    for (std::size_t g = 0; g < grids_.size(); ++g) {
      const std::vector<Located>& moved = grids_[g].moved;
      for (std::size_t i = 0; i < std::min(g == 0 ? most_moved_of_first : most_moved, moved.size()); ++i) {
        found_.push_back({time_of(grids_[g], moved[i].slot_of), g, moved[i].slot_of});
      }
    }
    std::ranges::stable_sort(found_, {}, &Found::time);
    if (is_small()) improve();
    const Found& least = found_.front().time < unmoved.time - unmoved.time / 64 ? found_.front() : unmoved;
    OnSystem result{grids_[least.grid].geometry.partition, {}, {{}, is_small(), unmoved.time, least.time}};
    if (&least == &unmoved) result.moves.why_not = "nothing faster was found";
    for (const int slot : least.slot_of) result.slots.push_back(judge_.slots()[static_cast<std::size_t>(slot)]);
    return result;
  }

 private:
  struct Found {
    std::int64_t time = 0;
    std::size_t grid = 0;
    SlotOf slot_of;
  };

  [[nodiscard]] bool is_small() const { return std::ssize(judge_.slots()) <= most_devices_of_whole; }

  /// Which placements of a small machine the search may reach.
  [[nodiscard]] Freedom freedom() const {
    const std::int64_t devices = std::ssize(judge_.slots());
    if (devices <= most_to_try || !node_moves_.equal_numbers()) return {.nodes = 1, .devices = devices};
    return {.nodes = node_moves_.nodes(),
            .devices = devices / node_moves_.nodes(),
            .alike = false,
            .across_nodes = devices > node_moves_.nodes(),
            .any_two = true};
  }

  void find_grids(const std::vector<partition::Partition>& partitions, const std::vector<placement::Slot>& start) {
    const std::size_t most = std::clamp<std::size_t>(most_devices_of_grids / start.size(), 1, most_grids);
    for (const std::size_t p : of_least_surface(partitions, most)) {
      Grid& grid = grids_.emplace_back(geometry_of(request_, partitions[p]));
      grid.start =
          positions_of(p == 0 ? start : placement::make_placement(grid.geometry, map_, {}).slots, judge_.slots());
      move_by_network(grid, p == 0 ? 1 : most_grids);
    }
  }

  /// Placements with whole nodes exchanged, and with single subdomains exchanged in the least congested of these. part: of the effort.
  void move_by_network(Grid& grid, std::int64_t part) {
    // About a second in all for a thousand devices. Beyond 256 places mappers take more trials of their own.
    mapping::Effort effort;
    effort.trials = (node_moves_.nodes() <= 256 ? 30'000 : 500'000 / node_moves_.nodes()) / part;
    std::vector<SlotOf> moved{grid.start};
    if (node_moves_.equal_numbers()) {
      for (SlotOf& one : node_moves_.of_whole_nodes(grid.messages, grid.start, effort)) moved.push_back(std::move(one));
    }
    moved = different(std::move(moved));
    const std::size_t whole = std::min<std::size_t>(moved.size(), 3);
    for (std::size_t i = 0; i < whole; ++i) moved.push_back(node_moves_.of_subdomains(grid.messages, moved[i], effort));
    for (SlotOf& one : different(std::move(moved))) grid.moved.push_back({judge_.bound(grid.messages, one), one});
    std::ranges::stable_sort(grid.moved, {}, &Located::bound);
  }

  /// By simulation on a small machine, otherwise by bounds.
  std::int64_t time_of(const Grid& grid, const SlotOf& slot_of) {
    if (!is_small()) return judge_.bound(grid.messages, slot_of).picoseconds;
    const std::int64_t messages = std::ssize(grid.messages.list);
    effort_ += std::max(messages * messages, most_effort / 1'500);
    return judge_.simulate(grid.geometry, grid.messages, slot_of);
  }

  /// From the fastest placements: exchanges of nodes, of single subdomains and of devices by bounds, then by simulated time.
  void improve() {
    effort_ = 0;
    for (std::size_t i = 0, most = std::min(most_improved, found_.size()); i < most; ++i) {
      const Found from = found_[i];
      const Grid& grid = grids_[from.grid];
      for (const Located& one : improved(grid, from.slot_of)) {
        if (effort_ >= most_effort / 2 || one.bound.picoseconds >= found_.front().time) break;
        found_.push_back({time_of(grid, one.slot_of), from.grid, one.slot_of});
      }
    }
    std::ranges::stable_sort(found_, {}, &Found::time);
    auto& [time, g, slot_of] = found_.front();
    const Grid& grid = grids_[g];
    placements_.descend<std::int64_t>(slot_of, time, [&](std::span<const int> other, std::int64_t below) {
      if (effort_ >= most_effort || judge_.bound(grid.messages, other).picoseconds >= below) return below;
      return time_of(grid, {other.begin(), other.end()});
    });
  }

  /// By bounds, the least first.
  std::vector<Located> improved(const Grid& grid, SlotOf slot_of) {
    if (std::ssize(slot_of) <= most_to_try) {
      std::int64_t effort = most_effort;
      return placements_.best(judge_, grid.messages, {slot_of}, most_simulated, effort);
    }
    Judge::Bound bound = judge_.bound(grid.messages, slot_of);
    placements_.descend<Judge::Bound>(slot_of, bound, [&](std::span<const int> other, const Judge::Bound&) {
      return judge_.bound(grid.messages, other);
    });
    return {{bound, slot_of}};
  }

  const PlanRequest& request_;
  machine::MachineMap map_;  ///< as measured
  Judge judge_;
  NodeMoves node_moves_;
  Placements placements_;
  std::vector<Grid> grids_;
  std::vector<Found> found_;  ///< the fastest first
  std::int64_t effort_ = 0;
};

}  // namespace

OnSystem place_on_system(const PlanRequest& request, const std::vector<partition::Partition>& partitions,
                         const std::vector<placement::Slot>& start) {
  return SystemSearch(request).run(partitions, start);
}

}  // namespace halocline
