// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machine/interconnect.hpp"
#include "model/occupancy.hpp"
#include "partition/halo.hpp"
#include "placement/placement.hpp"
#include "plan/detail/assumed_routes.hpp"

namespace halocline {

/// The messages of one exchange of a geometry, from subdomain to subdomain.
struct Messages {
  explicit Messages(const partition::Geometry& geometry);
  std::vector<partition::Flow> list;
};

/// The time of exchanges on one machine, for many geometries and placements. Integers, so that comparisons are the same on all ranks.
class Judge {
 public:
  /// map: with measured rates in the place of nominal ones; it must stay. Routes are those of assumed_routes().
  Judge(const machine::MachineMap& map, const routing::Policy& policy, bool device_mpi);

  [[nodiscard]] const std::vector<placement::Slot>& slots() const { return slots_; }
  [[nodiscard]] const machine::Interconnect& interconnect() const { return interconnect_; }

  /// What a placement takes at least.
  struct Bound {
    std::int64_t picoseconds = 0;  ///< of the busiest channel or of the slowest message alone
    std::int64_t all = 0;  ///< of all messages, each alone: tells apart placements with the same busiest channel
    friend auto operator<=>(const Bound&, const Bound&) = default;
  };
  /// slot_of: by subdomain, positions in slots().
  [[nodiscard]] Bound bound(const Messages& messages, std::span<const int> slot_of);
  /// Tells apart placements with the same bound whose messages share channels with others, and not those in which equal devices or subdomains
  /// have changed places: for each message the loads of all channels that it passes, in picoseconds, as the root of the sum of squares.
  [[nodiscard]] std::int64_t meetings(const Messages& messages, std::span<const int> slot_of);
  /// Of the messages from each device of the first node to the device at its position on the second one: the share that the busiest rail
  /// of the network carries, 1 where all take one rail. Requires two nodes with equal numbers of slots.
  [[nodiscard]] double share_of_busiest_rail();
  /// By simulate_exchange().
  [[nodiscard]] std::int64_t simulate(const partition::Geometry& geometry, const Messages& messages,
                                      std::span<const int> slot_of);

 private:
  struct Pair {
    routing::Transport transport = routing::Transport::self;
    model::Occupancy::Message message;
  };
  /// from == to: of a subdomain to itself.
  const Pair& pair(int from, int to);

  const machine::MachineMap& map_;
  routing::Policy policy_;
  std::vector<placement::Slot> slots_;
  machine::Interconnect interconnect_;
  model::Occupancy occupancy_;
  AssumedRouter router_;  ///< without the policy's exceptions
  AssumedRouter with_exceptions_;
  std::vector<std::unique_ptr<Pair>> pairs_;  ///< slots x slots; null where no message was between them
  std::vector<double> busy_;                  ///< by resource, seconds
};

}  // namespace halocline
