// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "machine/fabric/links.hpp"

namespace halocline::machine {
namespace {

/// Ids: level by level, switch by switch, up and then down.
class FatTreeLinks final : public FabricLinks {
 public:
  FatTreeLinks(const FatTree& tree, std::int64_t nodes) {
    std::int64_t below = 1;  // nodes below a switch; at most the nodes that exist
    for (const FatTreeLevel& level : tree.levels) {
      below = below > nodes / level.children ? nodes : below * level.children;
      levels_.push_back({below, count_, level.uplinks});
      count_ += 2 * ((nodes + below - 1) / below);
    }
  }

  [[nodiscard]] std::int64_t count() const override { return count_; }
  [[nodiscard]] LinkRate rate(std::int64_t id) const override { return levels_[level_of(id)].uplinks; }
  [[nodiscard]] std::string name(std::int64_t id) const override {
    const std::size_t level = level_of(id);
    const std::int64_t within = id - levels_[level].first;
    return fmt::format("level {} switch {} {}", level, within / 2, within % 2 == 0 ? "up" : "down");
  }

  /// Level by level from the nodes up; the core is the last one.
  [[nodiscard]] std::int64_t switches() const override { return count_ / 2 + 1; }
  [[nodiscard]] std::int64_t switch_of(std::int64_t node) const override {
    return levels_.empty() ? 0 : node / levels_.front().below;
  }
  [[nodiscard]] Interconnect::Ends ends(std::int64_t id) const override {
    const std::size_t level = level_of(id);
    const std::int64_t node = (id - levels_[level].first) / 2 * levels_[level].below;  // first node below
    const std::int64_t above =
        level + 1 == levels_.size() ? count_ / 2 : levels_[level + 1].first / 2 + node / levels_[level + 1].below;
    return id % 2 == 0 ? Interconnect::Ends{id / 2, above} : Interconnect::Ends{above, id / 2};
  }

  void route(std::int64_t from, std::int64_t to, std::int64_t first, std::vector<std::int64_t>& path) const override {
    std::size_t level = 0;
    for (; level < levels_.size() && from / levels_[level].below != to / levels_[level].below; ++level) {
      path.push_back(first + levels_[level].first + 2 * (from / levels_[level].below));
    }
    while (level-- > 0) path.push_back(first + levels_[level].first + 2 * (to / levels_[level].below) + 1);
  }

 private:
  struct Level {
    std::int64_t below;  ///< nodes below a switch
    std::int64_t first;  ///< id
    LinkRate uplinks;
  };

  [[nodiscard]] std::size_t level_of(std::int64_t id) const {
    const auto next = std::ranges::upper_bound(levels_, id, {}, &Level::first);
    return static_cast<std::size_t>(next - levels_.begin()) - 1;
  }

  std::vector<Level> levels_;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<FabricLinks> make_links(const FatTree& tree, std::int64_t nodes) {
  return std::make_unique<FatTreeLinks>(tree, nodes);
}

}  // namespace halocline::machine
