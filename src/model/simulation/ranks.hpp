// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "halocline/ids.hpp"
#include "machine/machine_map.hpp"
#include "model/simulate.hpp"

namespace halocline::model::simulation {

/// What ranks' software lets pass: the shared resources of an exchange's flows. A rank's core is one resource, in nanoseconds.
class Ranks {
 public:
  explicit Ranks(const machine::Software& software) : software_(software) {}

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
  enum class Use : int { copy, send, receive, core };

  void limit(Flow& flow, Use use, rank_id rank, double bandwidth);
  int position(Use use, rank_id rank, double bandwidth);

  const machine::Software& software_;
  std::map<std::pair<Use, rank_id>, int> uses_;
};

}  // namespace halocline::model::simulation
