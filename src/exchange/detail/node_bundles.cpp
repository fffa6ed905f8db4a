// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/node_bundles.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "comm/gather.hpp"
#include "comm/requests.hpp"
#include "exchange/detail/tags.hpp"
#include "routing/messages.hpp"

namespace halocline::exchange {
namespace {

/// What a rank contributes to the bundles of its node.
struct Contribution {
  rank_id rank;
  std::vector<std::pair<subdomain_id, subdomain_id>> pairs;
};
auto members(MaybeConst<Contribution> auto& contribution) { return std::tie(contribution.rank, contribution.pairs); }

/// The ranks that a placement has on a node must be able to share memory.
void check_group(const std::vector<rank_id>& group, node_id node, const placement::Placement& placement) {
  for (const placement::Slot& slot : placement.slots) {
    if (slot.node != node || std::ranges::find(group, slot.rank) != group.end()) continue;
    throw CapabilityError(fmt::format(
        "messages is by_node, and the machine map has rank {} on node {}; allowed are ranks that share memory with "
        "the others there",
        slot.rank.value(), node.value()));
  }
}

}  // namespace

NodeBundles::NodeBundles(comm::RankGroup& node, rank_id me, const partition::Geometry& geometry,
                         const placement::Placement& placement, std::span<const Channel* const> mine)
    : me_(me) {
  Contribution contribution{me, {}};
  for (const Channel* channel : mine) {
    const Pair pair(channel->message.from, channel->message.to);
    mine_[pair] = channel;
    contribution.pairs.push_back(pair);
  }
  const auto contributions = comm::gather(node, contribution);
  for (const Contribution& one : contributions) group_.push_back(one.rank);
  if (placement.of_rank(me).empty()) return;

  // The group may be several nodes of the machine map.
  const node_id here = placement.of(placement.of_rank(me).front()).node;
  check_group(group_, here, placement);
  std::map<std::pair<bool, node_id>, std::set<Pair>> bundles;  // by whether this node sends it, and the other node
  for (const Contribution& one : contributions) {
    for (const Pair& pair : one.pairs) {
      const node_id from = placement.of(pair.first).node;
      const node_id to = placement.of(pair.second).node;
      if (from == here) bundles[{true, to}].insert(pair);
      else if (to == here) bundles[{false, from}].insert(pair);
    }
  }
  std::size_t nth[2] = {0, 0};
  for (const auto& [key, pairs] : bundles) {
    const bool sends = key.first;
    const std::size_t n = nth[sends ? 1 : 0]++;
    if (pairs.size() < 2) continue;
    std::vector<const Channel*> channels;
    for (const Pair& pair : pairs) channels.push_back(channel_of(pair, geometry, placement));
    add_site(std::move(channels), sends, n);
  }
}

void NodeBundles::add_site(std::vector<const Channel*> channels, bool sends, std::size_t nth) {
  std::set<rank_id> ranks;
  for (const Channel* channel : channels) ranks.insert(sends ? channel->sender : channel->receiver);
  const std::vector<rank_id> candidates(ranks.begin(), ranks.end());
  shared_.push_back(candidates.size() > 1);
  sites_.push_back(
      {.channels = std::move(channels), .leader = routing::leader(candidates, nth, sends), .tag = tags::node});
}

const Channel* NodeBundles::channel_of(const Pair& pair, const partition::Geometry& geometry,
                                       const placement::Placement& placement) {
  if (const auto found = mine_.find(pair); found != mine_.end()) return found->second;
  const auto [from, to] = pair;
  if (!sent_.contains(from)) sent_[from] = partition::outgoing(geometry, from);
  auto channel = std::make_unique<Channel>();
  for (const partition::Message& message : sent_[from]) {
    if (message.to == to) channel->message = message;
  }
  channel->sender = placement.of(from).rank;
  channel->receiver = placement.of(to).rank;
  others_.push_back(std::move(channel));
  return others_.back().get();
}

void NodeBundles::share(comm::RankGroup& node) {
  std::map<rank_id, std::size_t> bytes;  // by leader
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    std::size_t& used = bytes[sites_[i].leader];
    places.push_back(used);
    if (shared_[i]) used += BundleMemory::bytes(sites_[i].channels);
  }
  std::shared_ptr<comm::SharedWindow> window;
  try {
    window = node.shared_window(bytes[me_]);
  } catch (const CapabilityError& error) {
    throw CapabilityError(
        fmt::format("messages is by_node, for which the ranks of a node share memory: {}", error.what()));
  }
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    if (!shared_[i]) continue;
    const auto leader = std::ranges::find(group_, sites_[i].leader) - group_.begin();
    sites_[i].shared = {window, window->segment(rank_id(leader)).data() + places[i]};
  }
}

}  // namespace halocline::exchange
