// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/placements.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace halocline {
namespace {

constexpr std::int64_t most_to_try = 5'040;

/// n factorial, or anything above `most_to_try`.
std::int64_t factorial(std::int64_t n) {
  std::int64_t product = 1;
  for (std::int64_t k = 2; k <= n && product <= most_to_try; ++k) product *= k;
  return product;
}

/// Sums of the same numbers in another order.
bool same(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t rounding = 8;
  return std::abs(a - b) <= rounding;
}
bool same(const Judge::Bound& a, const Judge::Bound& b) {
  return same(a.picoseconds, b.picoseconds) && same(a.all, b.all);
}

/// The best ones, sorted; one of those that are alike but for the order of equal devices.
class Best {
 public:
  Best(Judge& judge, const Messages& messages, std::size_t most) : judge_(judge), messages_(messages), most_(most) {}

  void offer(const Judge::Bound& bound, const std::vector<int>& slot_of) {
    if (list.size() == most_ && bound >= list.back().bound) return;
    const std::int64_t meetings = judge_.meetings(messages_, slot_of);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (same(list[i].bound, bound) && same(meetings_[i], meetings)) return;
    }
    const auto place = std::ranges::upper_bound(list, bound, {}, &Located::bound) - list.begin();
    list.insert(list.begin() + place, {bound, slot_of});
    meetings_.insert(meetings_.begin() + place, meetings);
    if (list.size() > most_) list.pop_back();
    meetings_.resize(list.size());
  }

  std::vector<Located> list;

 private:
  Judge& judge_;
  const Messages& messages_;
  std::size_t most_;
  std::vector<std::int64_t> meetings_;  ///< of the list
};

}  // namespace

Placements::Placements(const Freedom& freedom) : freedom_(freedom) {
  const auto nodes = static_cast<std::size_t>(freedom.nodes);
  const auto devices = static_cast<std::size_t>(freedom.devices);
  for (std::size_t i = 0; i < devices; ++i) {
    for (std::size_t j = i + 1; j < devices; ++j) {
      Move of_all;
      for (std::size_t n = 0; n < nodes; ++n) of_all.emplace_back(n * devices + i, n * devices + j);
      if (nodes > 1) moves_.push_back(of_all);
      if (freedom.alike && nodes > 1) continue;
      for (const auto& pair : of_all) moves_.push_back({pair});
    }
  }
  for (std::size_t n = 0; n < (freedom.across_nodes ? nodes : 0); ++n) {
    for (std::size_t m = n + 1; m < nodes; ++m) {
      Move parts;
      for (std::size_t i = 0; i < devices; ++i) parts.emplace_back(n * devices + i, m * devices + i);
      moves_.push_back(std::move(parts));
    }
  }
  for (std::size_t a = 0; a < (freedom.any_two ? nodes * devices : 0); ++a) {
    for (std::size_t b = (a / devices + 1) * devices; b < nodes * devices; ++b) moves_.push_back({{a, b}});
  }
}

bool Placements::can_try_all() const {
  if (freedom_.any_two) return false;
  std::int64_t number = freedom_.across_nodes ? factorial(freedom_.nodes) : 1;
  const std::int64_t of_node = factorial(freedom_.devices);
  for (std::int64_t n = 0; n < (freedom_.alike ? 1 : freedom_.nodes) && number <= most_to_try; ++n) number *= of_node;
  return number <= most_to_try;
}

void Placements::try_all(const std::function<void(const std::vector<int>&)>& visit) const {
  const auto nodes = static_cast<std::size_t>(freedom_.nodes);
  const auto devices = static_cast<std::size_t>(freedom_.devices);
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<int> identity(devices);
  std::iota(identity.begin(), identity.end(), 0);
  std::vector<std::vector<int>> within(freedom_.alike ? 1 : nodes, identity);
  std::vector<int> slot_of(nodes * devices);
  do {
    bool more = true;
    while (more) {
      for (std::size_t n = 0; n < nodes; ++n) {
        const std::vector<int>& of_node = within[freedom_.alike ? 0 : n];
        for (std::size_t i = 0; i < devices; ++i) {
          slot_of[n * devices + i] = static_cast<int>(order[n] * devices) + of_node[i];
        }
      }
      visit(slot_of);
      // As the digits of a number: one that begins again carries.
      more = std::ranges::any_of(within,
                                 [](std::vector<int>& digit) { return std::ranges::next_permutation(digit).found; });
    }
  } while (freedom_.across_nodes && std::ranges::next_permutation(order).found);
}

std::vector<Located> Placements::best(Judge& judge, const Messages& messages,
                                      const std::vector<std::vector<int>>& starts, std::size_t most,
                                      std::int64_t& effort) const {
  Best best(judge, messages, most);
  for (const std::vector<int>& start : starts) best.offer(judge.bound(messages, start), start);
  if (can_try_all()) {
    try_all([&](const std::vector<int>& slot_of) { best.offer(judge.bound(messages, slot_of), slot_of); });
    return std::move(best.list);
  }
  for (std::size_t left = starts.size(); left > 0; --left) {
    std::int64_t share = effort / static_cast<std::int64_t>(left);
    effort -= share;
    descend_steeply(judge, messages, starts[starts.size() - left], share,
                    [&](const Judge::Bound& bound, const std::vector<int>& slot_of) { best.offer(bound, slot_of); });
    effort += share;
  }
  return std::move(best.list);
}

void Placements::descend_steeply(Judge& judge, const Messages& messages, std::vector<int> slot_of, std::int64_t& effort,
                                 const std::function<void(const Judge::Bound&, const std::vector<int>&)>& visit) const {
  const std::int64_t of_one = std::ssize(messages.list);
  Judge::Bound least = judge.bound(messages, slot_of);
  const Move* helps = nullptr;
  do {
    helps = nullptr;
    const bool takes_first = effort < of_one * std::ssize(moves_);
    for (const Move& move : moves_) {
      if (effort < of_one) return;
      effort -= of_one;
      change_places(slot_of, move);
      const Judge::Bound bound = judge.bound(messages, slot_of);
      visit(bound, slot_of);
      const bool is_better = bound < least && !same(bound, least);
      if (is_better) {
        least = bound;
        helps = &move;
      }
      if (!is_better || !takes_first) change_places(slot_of, move);
    }
    if (helps != nullptr && !takes_first) change_places(slot_of, *helps);
  } while (helps != nullptr);
}

}  // namespace halocline
