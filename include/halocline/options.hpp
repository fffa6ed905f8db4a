// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "halocline/box.hpp"
#include "halocline/devices.hpp"
#include "halocline/environment.hpp"
#include "halocline/field.hpp"
#include "halocline/machine.hpp"
#include "halocline/partition.hpp"
#include "halocline/placement.hpp"
#include "halocline/regions.hpp"
#include "halocline/routing.hpp"
#include "halocline/tuning.hpp"

namespace [[gnu::visibility("default")]] halocline {

struct InternalOptions;

/// The machine that is planned for.
struct MachineOptions {
  /// Instead of the discovered one. Its ranks must be those of the communicator.
  std::optional<Machine> map{};
  /// Virtual nodes of this many ranks; unset, nodes are as the communicator finds them.
  std::optional<int> ranks_per_node{};
};

/// How the domain is cut.
struct PartitionOptions {
  partition::Method method = partition::Method::automatic;
  partition::Ties ties = partition::Ties::fewest_in_x;  ///< of `exact`
  std::optional<Vec3> node_grid{};    ///< implies Method::given; `fastest` then searches device grids alone
  std::optional<Vec3> device_grid{};  ///< likewise for node grids; other methods are refused beside a grid
  /// Cuts of one's own, as many parts as the machine has devices; implies Method::given, and excludes weights.
  std::optional<partition::Cuts> cuts{};
  /// Relative speed of each subdomain's device, by subdomain_id, all above 0; empty for equal devices.
  std::vector<double> weights{};
  /// plan() runs a standard kernel on each device, for 0.2 s at most, and cells are cut in proportion to the measured speeds, which
  /// explain() states. Speeds within 5 % count as equal. Excludes cuts and weights; the same on all ranks.
  bool measure_weights = false;
};

/// How messages travel.
struct RoutingOptions {
  routing::Policy policy{};
  /// What one message contains, see routing::Messages; the same on all ranks.
  routing::Messages messages = routing::Messages::by_neighbour;
  /// The same on all ranks.
  routing::NetEngine net_engine = routing::NetEngine::automatic;
};

/// Checks that cost time.
struct DebugOptions {
  /// Finds work that is not ordered with exchanges: halos are filled with 0xff bytes (NaN) when an exchange starts, so that work that reads
  /// them too early reads NaN; and the end of the exchange waits until all is done, and throws ProtocolError where cells that are sent were
  /// written meanwhile, or a halo is not what was sent. Exchanges cannot be captured, and take many times as long. The same on all ranks.
  bool validate_ordering = false;
};

/// What a user may decide, by stage; the defaults leave everything to Halocline.
struct DomainOptions {
  Boundaries boundaries = all_periodic;
  overlap::Update update = overlap::Update::double_buffered;
  /// Steps that one exchange serves. Above 1, halos are that many times the radius (all fields' halos wide enough for the widest stencil,
  /// edges and corners on), and each step updates Subdomain::update_box. 1 or more, the same on all ranks.
  int steps_per_exchange = 1;

  DeviceOptions devices{};
  MachineOptions machine{};
  PartitionOptions partition{};
  placement::Request placement{};
  RoutingOptions routing{};
  exchange::Tuning tuning{};
  DebugOptions debug{};

  /// Records the times of exchanges for Domain::timing(): three marks in each subdomain's stream for each exchange. Ranks may differ in it.
  bool time_exchanges = false;
  /// Times few exchanges, and warns in close() of a route far below its predicted rate. Off on one rank, or with
  /// debug.validate_ordering, nothing is reported.
  bool slow_paths = false;

  /// How long a collective or one step of an exchange may take before it is an error: above 0 and up to 1e9 s. The same on all ranks.
  Duration timeout = std::chrono::seconds(120);

  /// For the tools of Halocline's own tree.
  std::shared_ptr<const InternalOptions> internal{};

  /// The environment variables (HALOCLINE_...) as options.
  static DomainOptions from(const Environment& environment);
};

}  // namespace halocline
