// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/joint.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "halocline/error.hpp"
#include "placement/node_placer.hpp"
#include "plan/detail/simulated_machine.hpp"

namespace halocline {
namespace {

using placement::Method;
using SlotOf = std::vector<int>;

/// Grids whose placements are searched: those with the smallest bounds.
constexpr std::size_t most_grids = 24;
/// Of a grid, those with the smallest bounds that may be simulated: as many as there is effort for.
constexpr std::size_t least_placements = 4;
constexpr std::size_t most_placements = 256;
/// What all simulations of a search may take, in squared messages: below a second, and at most 500 simulations.
constexpr std::int64_t most_effort = 8'000'000;
std::int64_t effort_of(const Case& one) {
  return std::max<std::int64_t>(std::ssize(one.messages.list) * std::ssize(one.messages.list), most_effort / 500);
}
/// What descents by bounds may take in all grids, in messages looked at: about a second.
constexpr std::int64_t most_looked_at = 40'000'000;
/// Grids whose fastest placement is improved further.
constexpr std::size_t most_improved = 3;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Of an exchange, in picoseconds: on the whole machine, and on the simulated cases, which tell apart grids that the network binds.
struct Time {
  std::int64_t whole = 0;
  std::int64_t cases = 0;
  friend auto operator<=>(const Time&, const Time&) = default;
};
constexpr Time never_done{never, never};

/// Not by rounding alone.
bool is_less(std::int64_t time, std::int64_t than) { return time < than - than / 10'000; }
bool is_less(const Time& time, const Time& than) {
  if (is_less(time.whole, than.whole)) return true;
  return !is_less(than.whole, time.whole) && is_less(time.cases, than.cases);
}

SlotOf in_order(const Case& one) {
  SlotOf slot_of(static_cast<std::size_t>(one.geometry.partition.size()));
  std::iota(slot_of.begin(), slot_of.end(), 0);
  return slot_of;
}

/// By a method that knows no time.
SlotOf placed(const Case& one, const placement::Request& request) {
  placement::NodePlacer placer(one.geometry, one.machine->map, request);
  const std::vector<placement::Slot>& slots = one.machine->judge.slots();
  SlotOf slot_of;
  for (std::int64_t s = 0; s < one.geometry.partition.size(); ++s) {
    const auto found = std::ranges::find(slots, placer.of(subdomain_id(s)));
    slot_of.push_back(static_cast<int>(found - slots.begin()));
  }
  return slot_of;
}

/// The search over all grids.
class Search {
 public:
  Search(const PlanRequest& request, const std::vector<partition::Partition>& partitions)
      : request_(request),
        partitions_(partitions),
        machines_(request),
        searches_placements_(request.placement.method == Method::fastest) {}

  Joint run() {
    const Timed baseline = time_of_first();
    best_ = baseline;
    rank();
    // The best placement of as many grids as there is time for, then more placements of the fastest.
    for (Grid& grid : grids_) judge(grid, 0, most_effort / 2);
    std::ranges::stable_sort(grids_, {}, [](const Grid& grid) { return grid.simulated.value_or(never_done); });
    for (std::size_t p = 1; p < most_placements; ++p) {
      for (Grid& grid : grids_) judge(grid, p, most_effort * 3 / 4);
    }
    std::ranges::stable_sort(grids_, {}, [](const Grid& grid) { return grid.simulated.value_or(never_done); });
    for (Grid& grid : std::span(grids_).first(std::min(most_improved, grids_.size()))) improve(grid);
    if (best_.time.whole >= baseline.time.whole - baseline.time.whole / 64) best_ = baseline;
    Joint joint{partitions_[best_.partition], {}, {}, {}};
    joint.slots = machines_.slots_of(joint.partition, best_.located);
    joint.judged = {best_.time.whole, baseline.time.whole, in_order_};
    for (const partition::Partition& parts : partitions_) joint.grids.push_back({parts, 0, std::nullopt});
    for (const Grid& grid : grids_) {
      joint.grids[grid.partition].at_least = grid.is_left_out() ? grid.bound : grid.time(grid.bound).whole;
      if (grid.simulated) joint.grids[grid.partition].simulated = grid.simulated->whole;
    }
    joint.grids[best_.partition].simulated = best_.time.whole;
    return joint;
  }

 private:
  /// A partition and a placement on each of its arenas.
  struct Timed {
    std::size_t partition = 0;
    Time time;
    std::vector<SlotOf> located;
  };
  struct Grid {
    std::size_t partition = 0;
    std::int64_t bound = 0;    ///< of the cases
    std::int64_t network = 0;  ///< network_load(); never where it is not known
    std::vector<Case> cases;
    std::vector<std::vector<Located>> placements;        ///< by case
    std::vector<std::pair<std::int64_t, SlotOf>> least;  ///< by case: the fastest one simulated
    std::optional<Time> simulated;                       ///< where all cases were

    [[nodiscard]] bool is_left_out() const { return network == never; }
    [[nodiscard]] Time time(std::int64_t of_cases) const { return {std::max(of_cases, network), of_cases}; }
  };

  std::int64_t simulate(const Case& one, std::span<const int> slot_of) {
    effort_ += effort_of(one);
    return one.machine->judge.simulate(one.geometry, one.messages, slot_of);
  }

  Timed time_of_first() {
    Timed first;
    placement::Request request = request_.placement;
    if (searches_placements_) request.method = Method::automatic;
    for (const Case& one : machines_.cases_of(partitions_.front())) {
      first.located.push_back(placed(one, request));
      first.time.cases = std::max(first.time.cases, simulate(one, first.located.back()));
      in_order_ = std::max(in_order_, simulate(one, in_order(one)));
    }
    const std::int64_t network = machines_.network_load(partitions_.front()).value_or(0);
    first.time.whole = std::max(first.time.cases, network);
    in_order_ = std::max(in_order_, network);
    return first;
  }

  /// Finds placements for the most promising grids; sorts all by their bounds.
  void rank() {
    for (std::size_t p = 0; p < partitions_.size(); ++p) {
      Grid grid{p, 0, 0, machines_.cases_of(partitions_[p]), {}, {}, {}};
      grid.least.assign(grid.cases.size(), {never, {}});
      for (const Case& one : grid.cases) {
        const SlotOf start = in_order(one);
        const Judge::Bound bound = one.machine->judge.bound(one.messages, start);
        grid.placements.push_back({{bound, start}});
        grid.bound = std::max(grid.bound, bound.picoseconds);
      }
      grids_.push_back(std::move(grid));
    }
    std::ranges::stable_sort(grids_, {}, &Grid::bound);
    load_network();
    const std::size_t searched = std::min(most_grids, grids_.size());
    std::int64_t effort = most_looked_at;
    for (std::size_t g = 0; g < grids_.size(); ++g) {
      if ((g >= searched || grids_[g].is_left_out()) && grids_[g].partition != 0) continue;
      std::int64_t share = effort / static_cast<std::int64_t>(std::max(searched, g + 1) - g);
      effort -= share;
      find_placements(grids_[g], share);
      effort += share;
    }
    std::ranges::stable_sort(grids_, [](const Grid& a, const Grid& b) {
      return std::pair(a.time(a.bound), a.partition) < std::pair(b.time(b.bound), b.partition);
    });
  }

  /// Sorts by what the network takes, too. Grids beyond the effort for that are left out, unless not even the first one is within it.
  void load_network() {
    const bool known = machines_.network_load(partitions_.front()).has_value();
    for (Grid& grid : grids_) {
      grid.network = machines_.network_load(partitions_[grid.partition]).value_or(known ? never : 0);
    }
    std::ranges::stable_sort(grids_, {}, [](const Grid& grid) { return grid.time(grid.bound); });
  }

  /// effort: of Placements::best(); lessened.
  void find_placements(Grid& grid, std::int64_t& effort) {
    grid.bound = 0;
    for (std::size_t c = 0; c < grid.cases.size(); ++c) {
      const Case& one = grid.cases[c];
      std::vector<Located>& found = grid.placements[c];
      if (searches_placements_) {
        const std::vector<SlotOf> starts{found.front().slot_of, placed(one, {Method::automatic, 0, {}})};
        const auto each = static_cast<std::int64_t>(std::min(most_grids, grids_.size())) * effort_of(one);
        const auto most = static_cast<std::size_t>(most_effort / each);
        std::int64_t share = effort / static_cast<std::int64_t>(grid.cases.size() - c);
        effort -= share;
        found = one.machine->placements.best(one.machine->judge, one.messages, starts,
                                             std::clamp(most, least_placements, most_placements), share);
        effort += share;
      } else {
        const SlotOf only = placed(one, request_.placement);
        found = {{one.machine->judge.bound(one.messages, only), only}};
      }
      grid.bound = std::max(grid.bound, found.front().bound.picoseconds);
    }
  }

  /// Simulates the p-th placement of a grid where it may be faster than the best.
  void judge(Grid& grid, std::size_t p, std::int64_t budget) {
    std::int64_t of_cases = 0;
    for (std::size_t c = 0; c < grid.cases.size(); ++c) {
      std::pair<std::int64_t, SlotOf>& least = grid.least[c];
      if (p < grid.placements[c].size()) {
        const Located& located = grid.placements[c][p];
        if (grid.time(std::max(grid.bound, located.bound.picoseconds)) < best_.time && effort_ < budget) {
          const std::int64_t found = simulate(grid.cases[c], located.slot_of);
          if (found < least.first) least = {found, located.slot_of};
        }
      }
      of_cases = std::max(of_cases, least.first);
    }
    if (of_cases == never) return;
    take(grid, grid.time(of_cases));
  }

  void take(Grid& grid, const Time& time) {
    grid.simulated = time;
    if (!is_less(time, best_.time)) return;
    best_ = {grid.partition, time, {}};
    for (const auto& [of_case, slot_of] : grid.least) best_.located.push_back(slot_of);
  }

  /// Exchanges of two subdomains of a grid's fastest placement, by simulated time.
  void improve(Grid& grid) {
    if (!searches_placements_ || !grid.simulated) return;
    std::int64_t all = 0;
    for (std::size_t c = 0; c < grid.cases.size(); ++c) {
      const Case& one = grid.cases[c];
      auto& [time, slot_of] = grid.least[c];
      one.machine->placements.descend<std::int64_t>(slot_of, time, [&](std::span<const int> other, std::int64_t below) {
        if (effort_ >= most_effort) return below;
        return one.machine->judge.bound(one.messages, other).picoseconds >= below ? below : simulate(one, other);
      });
      all = std::max(all, time);
    }
    take(grid, grid.time(all));
  }

  const PlanRequest& request_;
  const std::vector<partition::Partition>& partitions_;
  SimulatedMachines machines_;
  bool searches_placements_ = false;
  std::int64_t effort_ = 0;
  std::int64_t in_order_ = 0;
  Timed best_;
  std::vector<Grid> grids_;
};

}  // namespace

Joint judge_together(const PlanRequest& request, const std::vector<partition::Partition>& partitions) {
  return Search(request, partitions).run();
}

}  // namespace halocline
