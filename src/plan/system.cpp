// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/system.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "model/simulate.hpp"
#include "plan/detail/node_moves.hpp"
#include "plan/detail/placements.hpp"
#include "plan/detail/simulated_machine.hpp"

namespace halocline {
namespace {

using SlotOf = std::vector<int>;

/// What all simulations may take, in squared messages: about two seconds.
constexpr std::int64_t most_effort = 24'000'000;
/// Placements of a small machine of which each is improved by bounds.
constexpr std::size_t most_improved = 3;
/// Subdomains whose placements are tried one by one.
constexpr std::int64_t most_to_try = 7;
/// Of those, the ones with the smallest bounds that may be simulated.
constexpr std::size_t most_simulated = 64;

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

class SystemSearch {
 public:
  SystemSearch(const PlanRequest& request, const partition::Geometry& geometry,
               const std::vector<placement::Slot>& start)
      : geometry_(geometry),
        map_(model::as_measured(request.machine)),
        judge_(map_, request.policy, request.device_mpi),
        messages_(geometry),
        node_moves_(map_, judge_.interconnect(), judge_.slots()),
        start_(positions_of(start, judge_.slots())) {}

  OnSystem run() {
    const bool small = std::ssize(start_) <= most_devices_of_whole;
    small ? search_by_simulation() : search_by_bound();
    OnSystem found{{}, {.why_not = {}, .simulated = small, .before = before_, .now = least_}};
    if (least_ >= before_ - before_ / 64) {
      best_ = start_;
      found.moves.now = before_;
      found.moves.why_not = "nothing faster was found";
    }
    for (const int slot : best_) found.slots.push_back(judge_.slots()[static_cast<std::size_t>(slot)]);
    return found;
  }

 private:
  /// Placements with whole nodes exchanged, and with single subdomains exchanged in the least congested of these.
  std::vector<SlotOf> by_network() const {
    // About a second in all for a thousand devices. Beyond 256 places mappers take more trials of their own.
    mapping::Effort effort;
    effort.trials = node_moves_.nodes() <= 256 ? 30'000 : 500'000 / node_moves_.nodes();
    std::vector<SlotOf> found{start_};
    if (node_moves_.equal_numbers()) {
      for (SlotOf& moved : node_moves_.of_whole_nodes(messages_, start_, effort)) found.push_back(std::move(moved));
    }
    found = different(std::move(found));
    const std::size_t whole = std::min<std::size_t>(found.size(), 3);
    for (std::size_t i = 0; i < whole; ++i) found.push_back(node_moves_.of_subdomains(messages_, found[i], effort));
    return different(std::move(found));
  }

  void take(std::int64_t time, const SlotOf& slot_of) {
    if (!best_.empty() && time >= least_) return;
    least_ = time;
    best_ = slot_of;
  }

  void search_by_bound() {
    for (const SlotOf& one : by_network()) {
      const std::int64_t time = judge_.bound(messages_, one).picoseconds;
      if (best_.empty()) before_ = time;
      take(time, one);
    }
  }

  std::int64_t simulate(const SlotOf& slot_of) {
    const std::int64_t messages = std::ssize(messages_.list);
    effort_ += std::max(messages * messages, most_effort / 1'500);
    return judge_.simulate(geometry_, messages_, slot_of);
  }

  /// Which placements of a small machine the search may reach.
  [[nodiscard]] Freedom freedom() const {
    const std::int64_t devices = std::ssize(start_);
    if (devices <= most_to_try || !node_moves_.equal_numbers()) return {.nodes = 1, .devices = devices};
    return {.nodes = node_moves_.nodes(),
            .devices = devices / node_moves_.nodes(),
            .alike = false,
            .across_nodes = devices > node_moves_.nodes(),
            .any_two = true};
  }

  void search_by_simulation() {
    before_ = simulate(start_);
    take(before_, start_);
    const Placements placements(freedom());
    std::vector<SlotOf> starts = by_network();
    std::vector<Located> found;
    if (std::ssize(start_) <= most_to_try) {
      found = placements.best(judge_, messages_, starts, most_simulated);
    } else {
      for (const SlotOf& one : starts) found.push_back({judge_.bound(messages_, one), one});
      std::ranges::stable_sort(found, {}, &Located::bound);
      for (std::size_t i = 0, most = std::min(most_improved, found.size()); i < most; ++i) {
        Located improved = found[i];
        placements.descend<Judge::Bound>(
            improved.slot_of, improved.bound,
            [&](std::span<const int> other, const Judge::Bound&) { return judge_.bound(messages_, other); });
        found.push_back(std::move(improved));
      }
    }
    std::ranges::stable_sort(found, {}, &Located::bound);
    for (const Located& one : found) {
      if (effort_ < most_effort / 2 && one.bound.picoseconds < least_) take(simulate(one.slot_of), one.slot_of);
    }
    SlotOf slot_of = best_;
    std::int64_t least = least_;
    placements.descend<std::int64_t>(slot_of, least, [&](std::span<const int> other, std::int64_t below) {
      if (effort_ >= most_effort || judge_.bound(messages_, other).picoseconds >= below) return below;
      return simulate({other.begin(), other.end()});
    });
    take(least, slot_of);
  }

  const partition::Geometry& geometry_;
  machine::MachineMap map_;  ///< as measured
  Judge judge_;
  Messages messages_;
  NodeMoves node_moves_;
  SlotOf start_;
  SlotOf best_;
  std::int64_t before_ = 0;
  std::int64_t least_ = 0;
  std::int64_t effort_ = 0;
};

}  // namespace

OnSystem place_on_system(const PlanRequest& request, const partition::Geometry& geometry,
                         std::vector<placement::Slot> start) {
  return SystemSearch(request, geometry, start).run();
}

}  // namespace halocline
