// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "context.hpp"
#include "device/backend.hpp"
#include "halocline/domain.hpp"
#include "plan/message_ranking.hpp"
#include "plan/plan.hpp"

namespace cli {

/// The devices that the flags give this rank, one of the ranks of `node`. Collective.
[[nodiscard]] std::shared_ptr<halocline::device::Backend> backend_of(Context& context,
                                                                     const halocline::comm::RankGroup& node);

/// Reduces a map to its first nodes, in this number, and their ranks. The map has at least as many.
void keep_nodes(halocline::machine::MachineMap& map, std::int64_t nodes);

/// The machine that the flags describe, or else the one at hand. Collective.
[[nodiscard]] halocline::machine::MachineMap machine_of(Context& context);

/// The stages partition and place for that machine. Collective.
[[nodiscard]] halocline::Plan plan_of(Context& context);

/// What plan_of() starts from. Collective.
[[nodiscard]] halocline::PlanRequest plan_request_of(Context& context);

/// The plan that the flags describe for the first nodes of a machine, with a rank for each device. Throws InvalidArgument
/// if these nodes have no devices or different numbers of them.
[[nodiscard]] halocline::Plan plan_of_ranks_with_one_device(const Options& options, halocline::machine::MachineMap map,
                                                            std::int64_t nodes);

struct RoutedPlan {
  halocline::Plan plan;
  std::vector<halocline::RoutedMessage> routes;  ///< of all ranks
  bool assumed = false;                          ///< nothing was tried, because the machine is not here
  std::string tuned{};                           ///< the line of a domain that was tuned
  /// How messages are consolidated: what the flags say, or what the model chose, with its predictions.
  halocline::routing::Messages messages = halocline::routing::Messages::by_neighbour;
  std::optional<halocline::MessageRanking> ranking{};
};
/// All stages but exchange: on the machine at hand capabilities are tried for real. With --mapping, each rank of the plan
/// has the device where the mapping starts it. Collective.
[[nodiscard]] RoutedPlan routed_plan_of(Context& context);

/// What --messages auto means for a plan on its machine map, which is not here.
[[nodiscard]] halocline::MessageRanking ranking_of(const halocline::Plan& plan,
                                                   const halocline::routing::Policy& policy, bool device_mpi);
/// The same for a plan whose routes are assumed, which are counted anew; for use after a change of its map.
void decide_messages(const Options& options, RoutedPlan& found);

/// The flags as options of a domain on the machine at hand.
[[nodiscard]] halocline::DomainOptions domain_options(const Context& context);

/// The machine, the partition and the placement of a plan as lines of the log, at level info, on rank 0.
void log_plan(const Context& context, const halocline::Plan& plan);

/// Messages and bytes by transport; those without any are left out.
struct Share {
  halocline::routing::Transport transport;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};
[[nodiscard]] std::vector<Share> shares_of(std::span<const halocline::RoutedMessage> routes);
/// Collective: of one exchange of all fields, counted by those who send.
[[nodiscard]] std::vector<Share> shares_of_all_ranks(halocline::Domain& domain);

}  // namespace cli
