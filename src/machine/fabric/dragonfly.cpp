// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <array>

#include "machine/fabric/links.hpp"

namespace halocline::machine {
namespace {

/// Ids: first local links by group, router and peer; then global links by group, peer and copy. The numbering of peers
/// leaves out the group or router itself.
class DragonflyLinks final : public FabricLinks {
 public:
  DragonflyLinks(const Dragonfly& dragonfly, std::int64_t nodes)
      : shape_(dragonfly), nodes_per_group_(std::int64_t{shape_.nodes_per_router} * shape_.routers_per_group) {
    const std::int64_t groups = (nodes + nodes_per_group_ - 1) / nodes_per_group_;
    global_first_ = groups * shape_.routers_per_group * (shape_.routers_per_group - 1);
    count_ = global_first_ + groups * (shape_.groups - 1) * shape_.links_per_pair;
  }

  [[nodiscard]] std::int64_t count() const override { return count_; }
  [[nodiscard]] LinkRate rate(std::int64_t id) const override {
    return id < global_first_ ? shape_.local : shape_.global;
  }
  [[nodiscard]] std::string name(std::int64_t id) const override {
    if (id < global_first_) {
      const Local link = local(id);
      return fmt::format("group {} router {} -> {}", link.group, link.from, link.to);
    }
    const Global link = global(id);
    return fmt::format("group {} -> {} link {}", link.from, link.to, link.copy);
  }

  /// Routers of group after group.
  [[nodiscard]] std::int64_t switches() const override {
    return std::int64_t{shape_.groups} * shape_.routers_per_group;
  }
  [[nodiscard]] std::int64_t switch_of(std::int64_t node) const override { return node / shape_.nodes_per_router; }
  [[nodiscard]] Interconnect::Ends ends(std::int64_t id) const override {
    if (id < global_first_) {
      const Local link = local(id);
      return {router(link.group, link.from), router(link.group, link.to)};
    }
    const Global link = global(id);
    return {router(link.from, gateway(link.from, link.to, link.copy)),
            router(link.to, gateway(link.to, link.from, link.copy))};
  }

  void route(std::int64_t from, std::int64_t to, std::int64_t first, std::vector<std::int64_t>& path) const override {
    const std::int64_t from_group = from / nodes_per_group_;
    const std::int64_t to_group = to / nodes_per_group_;
    const std::int64_t from_router = from % nodes_per_group_ / shape_.nodes_per_router;
    const std::int64_t to_router = to % nodes_per_group_ / shape_.nodes_per_router;
    if (from_group == to_group) {
      hop(from_group, from_router, to_router, first, path);
      return;
    }
    const std::int64_t copy = best_copy(from_group, from_router, to_group, to_router);
    hop(from_group, from_router, gateway(from_group, to_group, copy), first, path);
    const std::int64_t pair = from_group * (shape_.groups - 1) + without_oneself(to_group, from_group);
    path.push_back(first + global_first_ + pair * shape_.links_per_pair + copy);
    hop(to_group, gateway(to_group, from_group, copy), to_router, first, path);
  }

 private:
  struct Local {
    std::int64_t group;
    std::int64_t from;  ///< routers within it
    std::int64_t to;
  };
  struct Global {
    std::int64_t from;  ///< groups
    std::int64_t to;
    std::int64_t copy;
  };
  [[nodiscard]] Local local(std::int64_t id) const {
    const std::int64_t peers = shape_.routers_per_group - 1;
    const std::int64_t from = id / peers % shape_.routers_per_group;
    return {id / peers / shape_.routers_per_group, from, with_oneself(id % peers, from)};
  }
  [[nodiscard]] Global global(std::int64_t id) const {
    const std::int64_t pair = (id - global_first_) / shape_.links_per_pair;
    const std::int64_t from = pair / (shape_.groups - 1);
    return {from, with_oneself(pair % (shape_.groups - 1), from), (id - global_first_) % shape_.links_per_pair};
  }
  [[nodiscard]] std::int64_t router(std::int64_t group, std::int64_t within) const {
    return group * shape_.routers_per_group + within;
  }

  static std::int64_t without_oneself(std::int64_t peer, std::int64_t self) { return peer < self ? peer : peer - 1; }
  static std::int64_t with_oneself(std::int64_t peer, std::int64_t self) { return peer < self ? peer : peer + 1; }

  /// The router of a group that has this copy of the link to a peer.
  [[nodiscard]] std::int64_t gateway(std::int64_t group, std::int64_t peer, std::int64_t copy) const {
    return (without_oneself(peer, group) * shape_.links_per_pair + copy) % shape_.routers_per_group;
  }

  /// Chooses one of the links between two groups with the fewest hops. Different pairs of routers get different ones,
  /// so that they share the links; both directions use the same one.
  [[nodiscard]] std::int64_t best_copy(std::int64_t from_group, std::int64_t from_router, std::int64_t to_group,
                                       std::int64_t to_router) const {
    const auto hops = [&](std::int64_t copy) {
      return static_cast<int>(gateway(from_group, to_group, copy) != from_router) +
             static_cast<int>(gateway(to_group, from_group, copy) != to_router);
    };
    std::array<std::int64_t, 3> with{};  // links, by hops
    for (std::int64_t copy = 0; copy < shape_.links_per_pair; ++copy) ++with.at(static_cast<std::size_t>(hops(copy)));
    int least = 0;
    while (with.at(static_cast<std::size_t>(least)) == 0) ++least;
    std::int64_t skip = (from_router + to_router) % with.at(static_cast<std::size_t>(least));
    std::int64_t copy = 0;
    while (hops(copy) != least || skip-- > 0) ++copy;
    return copy;
  }

  void hop(std::int64_t group, std::int64_t from, std::int64_t to, std::int64_t first,
           std::vector<std::int64_t>& path) const {
    if (from == to) return;
    path.push_back(first + router(group, from) * (shape_.routers_per_group - 1) + without_oneself(to, from));
  }

  Dragonfly shape_;
  std::int64_t nodes_per_group_;
  std::int64_t global_first_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<FabricLinks> make_links(const Dragonfly& dragonfly, std::int64_t nodes) {
  return std::make_unique<DragonflyLinks>(dragonfly, nodes);
}

}  // namespace halocline::machine
