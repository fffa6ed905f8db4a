// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halocline/routing.hpp"
#include "machine/machine_map.hpp"
#include "model/predict.hpp"
#include "partition/halo.hpp"
#include "partition/strategy.hpp"
#include "placement/placement.hpp"

namespace halocline {

/// What planning starts from: all values, the same on every rank.
struct PlanRequest {
  Vec3 extent;
  Stencil stencil;  ///< of the fields that have none of their own
  std::vector<FieldDescriptor> fields;
  Boundaries boundaries = all_periodic;
  machine::MachineMap machine;

  partition::Method partition = partition::Method::automatic;
  partition::Ties ties = partition::Ties::fewest_in_x;
  std::optional<Vec3> node_grid;        ///< for Method::given
  std::optional<Vec3> device_grid;      ///< for Method::given
  std::optional<partition::Cuts> cuts;  ///< imply Method::given
  std::vector<double> weights;          ///< see partition::Request
  /// Of devices, by rank, then by ordinal, in any unit; cells are cut in proportion. Empty for equal devices; excludes weights and cuts.
  std::vector<double> speeds;
  std::string speeds_from;  ///< where they are from, as a text
  exchange::Tuning tuning;  ///< for Method::fastest with measured rates
  placement::Request placement;
  routing::Policy policy{};  ///< for simulated times; with transports as a machine that is not here has them
  bool device_mpi = false;   ///< the same
  /// Steps that one exchange serves; see overlap/steps.hpp.
  int steps_per_exchange = 1;
};

/// Simulated times of an exchange, in picoseconds.
struct Judged {
  std::int64_t time = 0;
  /// Of the grid of `exact` where the partition was chosen by time, otherwise of the same grid; subdomains placed by assignment, or by the
  /// request's method where it was not by time.
  std::int64_t by_assignment = 0;
  std::int64_t in_order = 0;  ///< of the same grid, with subdomains in the order of devices
};

/// What moving subdomains between nodes did, for placement::Method::system. Times of an exchange, in picoseconds.
struct Moves {
  std::string why_not;  ///< subdomains stayed on their nodes; empty where they moved
  /// By simulation; otherwise the time of the busiest link or of the slowest message, which an exchange takes at least.
  bool simulated = false;
  std::optional<std::int64_t> before;  ///< of the placement without moves between nodes; none where it is not known
  std::int64_t now = 0;
};

/// Devices of unequal speed, and how far the times of a step are from an ideal split's.
struct Balance {
  std::vector<double> speeds;  ///< by subdomain_id
  std::string from;            ///< where they are from
  double before = 1;           ///< the slowest device's time with equal cells, over the time of an ideal split
  double now = 1;              ///< the same with the plan's cells
};

/// Machine, partition and placement: who owns what, where. Pure values; no MPI, no device.
struct Plan {
  machine::MachineMap machine;
  partition::Geometry geometry;
  placement::Placement placement;
  /// What chooses this grid; `automatic` where that is neither `exact` nor `fastest`: it has fewer messages and takes as long.
  partition::Method partition = partition::Method::exact;
  /// `fastest` instead of automatic where links are unequal or grids were simulated; `system` where subdomains moved.
  placement::Method placement_method = placement::Method::automatic;
  std::optional<Judged> judged;    ///< where links are unequal, or the placement is by time
  std::optional<Moves> moves;      ///< for `system`
  std::optional<Balance> balance;  ///< where speeds are given
  int steps_per_exchange = 1;
  /// For Method::fastest: what the grid was chosen by, or why there is no prediction and the grid of exact is used. For
  /// given cuts, that they are.
  std::string partition_reason;

  /// The rank that owns a subdomain.
  [[nodiscard]] rank_id owner(subdomain_id subdomain) const { return placement.of(subdomain).rank; }
};

/// Runs the stages partition and place. Throws InvalidArgument where the request does not fit together.
/// A machine whose nodes hold unequal numbers of devices is cut as one node of all devices, and so is any with given owners.
/// For the width of halos see core/halo_width.hpp.
[[nodiscard]] Plan make_plan(const PlanRequest& request);

/// A way to cut a request's domain, evenly.
struct Candidate {
  partition::Partition partition;
  model::Traffic traffic;
  std::optional<model::Prediction> prediction;  ///< none where the machine map has no exchange rates
  /// Where links are unequal, or no rates were measured: the simulated time with the best placement found, in picoseconds. It is a lower bound of it, and
  /// `simulated` false, where that is above the time of another candidate.
  std::optional<std::int64_t> together;
  bool simulated = false;
  /// The methods that choose it, but `given`; `automatic` where no other one does.
  std::vector<partition::Method> methods;
};
struct Candidates {
  std::vector<Candidate> list;
  std::string why_not_predicted;  ///< empty where they are, or were simulated
  std::string origin;             ///< what to add to predicted times: whose rates they are by, if not the machine's
  bool together = false;          ///< simulated, with placements
};
/// The candidates for the method `fastest`, at most partition::most_candidates, by simulated time where links are unequal or no exchange rates were measured, otherwise by
/// predicted time, or by bytes between nodes and then bytes of the device that sends most; of equals the one of exact first, then those with fewer cuts in x, in y. The request's method, grids, cuts,
/// weights and owners do not count. Throws InvalidArgument as make_plan().
[[nodiscard]] Candidates candidates(const PlanRequest& request);

/// What one subdomain sends another in an exchange of all fields, with its route.
struct RoutedMessage {
  routing::Route route;
  std::int64_t bytes = 0;
  /// One for each direction where messages are by_direction and the transport moves them one by one; 0 if it travels in the bundle
  /// of another message.
  std::int64_t messages = 1;
};

/// The stage route for a machine that is not here: mapping and peer access as the map's load/store domains have it,
/// MPI everywhere, MPI on device pointers as the caller states. For the messages that a rank sends (all ranks' where
/// none is given). messages: unset is one for each neighbour.
[[nodiscard]] std::vector<RoutedMessage> assumed_routes(const Plan& plan, const routing::Policy& policy,
                                                        bool device_mpi, std::optional<rank_id> only = {},
                                                        std::optional<routing::Messages> messages = {});

/// The plan as text for people: machine, partition, placement, a route for each pair with its reason, and
/// bytes for each transport. Routes beyond max_routes are counted, not listed.
[[nodiscard]] std::string explain(const Plan& plan, std::span<const RoutedMessage> routes, std::size_t max_routes = 64);
/// The parts of it.
[[nodiscard]] std::string explain_machine(const machine::MachineMap& machine);
[[nodiscard]] std::string explain_partition(const Plan& plan);
[[nodiscard]] std::string explain_placement(const Plan& plan);
/// Empty without speeds of devices.
[[nodiscard]] std::string explain_balance(const Plan& plan);
/// How the plan was placed, in microseconds where they are known: "by fastest: simulated 27.2 us an exchange; exact plus QAP 134 us".
[[nodiscard]] std::string placement_text(const Plan& plan);
[[nodiscard]] std::string explain_routes(std::span<const RoutedMessage> routes, std::size_t max_routes = 64);

}  // namespace halocline
