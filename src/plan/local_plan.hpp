// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "plan/plan.hpp"

namespace halocline {

/// What concerns one rank of a plan for a machine that is not here, as make_plan() and assumed_routes() have it.
struct LocalPlan {
  partition::Geometry geometry;    ///< of the whole domain: grids, and cuts along each dimension
  std::vector<subdomain_id> mine;  ///< by ordinal
  /// Of the rank's subdomains and of all that send to them or receive from them.
  std::map<subdomain_id, placement::Slot> slots;
  std::vector<RoutedMessage> outgoing;  ///< by sender, then receiver
  std::vector<RoutedMessage> incoming;  ///< by receiver, then sender

  /// The cells of one of the rank's subdomains.
  [[nodiscard]] Box box_of(subdomain_id subdomain) const { return geometry.partition.box_of(subdomain); }
};

/// A rank's own part, without the whole: places the rank's node and those that its subdomains meet, and routes the messages
/// at which the rank is an end. What is left that grows with the machine is to read the map: a pass over its nodes and ranks.
/// Throws InvalidArgument as make_plan() does, and for a rank that the machine does not have.
[[nodiscard]] LocalPlan make_local_plan(const PlanRequest& request, rank_id rank, const routing::Policy& policy,
                                        bool device_mpi);

}  // namespace halocline
