// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "halocline/ids.hpp"
#include "machine/machine_map.hpp"
#include "model/simulate.hpp"

namespace halocline::model::simulation {

/// What ranks' software lets pass: the shared resources of an exchange's flows. A rank's core is one resource, in nanoseconds; where a
/// node has more ranks than cores, its cores are another one that they share.
class Ranks {
 public:
  explicit Ranks(const machine::Software& software) : software_(software) {}
  explicit Ranks(const machine::MachineMap& map);

  /// The flow's bytes are copied in the node's memory by both ranks.
  void copies(Flow& flow, rank_id from, rank_id to);
  /// The flow's bytes leave one rank and reach the other over the network.
  void injects(Flow& flow, rank_id from, rank_id to);

  /// The time of the core that a message takes at either end, and that some launches take; 0: none.
  [[nodiscard]] double message_seconds() const { return software_.mpi_overhead; }
  [[nodiscard]] double launch_seconds(int launches) const { return launches * software_.device_launch; }
  /// A flow that takes `seconds` of the rank's core, and nothing else.
  [[nodiscard]] Flow work(rank_id rank, double seconds);

  std::vector<SharedResource> resources;

 private:
  enum class Use : int { copy, send, receive, core, cores };
  /// A rank's node, if its ranks share cores.
  struct Sharing {
    std::int64_t node = 0;
    double cores = 0;
  };

  /// Adds the rank's core, and what it shares with others. weight: nanoseconds for each unit of the flow.
  void take_core(Flow& flow, rank_id rank, double weight);

  void limit(Flow& flow, Use use, rank_id rank, double bandwidth);
  /// number: of a rank, or, for Use::cores, of a node.
  int position(Use use, std::int64_t number, double bandwidth);

  const machine::Software& software_;
  std::map<std::int64_t, Sharing> sharing_;  ///< by rank
  std::map<std::pair<Use, std::int64_t>, int> uses_;
};

}  // namespace halocline::model::simulation
