// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "exchange/transport/bundled/bundle.hpp"
#include "placement/placement.hpp"

namespace halocline::exchange {

/// The bundles between this rank's node and others: the messages of all ranks of the node, which rank calls MPI for each, and the
/// memory in which they lie.
class NodeBundles {
 public:
  /// Collective over the node. mine: the messages between nodes that this rank sends or receives; they must outlive this object.
  /// Throws CapabilityError if the machine map has ranks on this node that are not in the group.
  NodeBundles(comm::RankGroup& node, rank_id me, const partition::Geometry& geometry,
              const placement::Placement& placement, std::span<const Channel* const> mine);

  /// Collective over the node: the memory of bundles that several ranks pack or unpack. Throws CapabilityError on all ranks of the node
  /// if they may not share memory.
  void share(comm::RankGroup& node);

  /// Also those of which this rank has no part; only complete after share().
  [[nodiscard]] const std::vector<BundleSite>& sites() const { return sites_; }

 private:
  using Pair = std::pair<subdomain_id, subdomain_id>;
  const Channel* channel_of(const Pair& pair, const partition::Geometry& geometry,
                            const placement::Placement& placement);
  void add_site(std::vector<const Channel*> channels, bool sends, std::size_t nth);

  rank_id me_;
  std::map<Pair, const Channel*> mine_;
  std::map<subdomain_id, std::vector<partition::Message>> sent_;  ///< by other ranks' subdomains
  std::vector<std::unique_ptr<Channel>> others_;
  std::vector<rank_id> group_;  ///< the ranks of the node, as the group numbers them
  std::vector<BundleSite> sites_;
  std::vector<bool> shared_;  ///< by site: several ranks have parts of it
};

}  // namespace halocline::exchange
