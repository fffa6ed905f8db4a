// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "halocline/box.hpp"
#include "halocline/devices.hpp"
#include "halocline/duration.hpp"
#include "halocline/environment.hpp"
#include "halocline/field.hpp"
#include "halocline/machine_map.hpp"
#include "halocline/partition.hpp"
#include "halocline/placement.hpp"
#include "halocline/regions.hpp"
#include "halocline/routing.hpp"
#include "halocline/tuning.hpp"

#pragma GCC visibility push(default)
namespace halocline {

struct InternalOptions;

/// What a user may decide; the defaults leave everything to Halocline.
struct DomainOptions {
  Boundaries boundaries = all_periodic;
  overlap::Update update = overlap::Update::double_buffered;
  /// Steps that one exchange serves. Above 1, halos are that many times the radius (all fields' halos wide enough for
  /// the widest radius, edges and corners on), and each step updates Subdomain::update_box. 1 or more, the same on all
  /// ranks.
  int halo_multiplier = 1;

  /// The devices, as Devices::backend() has them; by default those that make_devices() makes of the three options below.
  std::shared_ptr<device::Backend> backend;
  /// Host devices or GPUs; see DeviceOptions.
  std::optional<DeviceKind> backend_kind;
  /// Devices that each rank drives; see DeviceOptions.
  std::optional<int> devices_per_rank;
  /// Threads that run the host devices' work in the background; 0: by cores and ranks.
  int host_workers = 0;
  /// Virtual nodes of this many ranks; by default what the communicator finds.
  std::optional<int> ranks_per_node;

  /// A machine instead of the discovered one. Its ranks must be those of the communicator.
  std::optional<machine::MachineMap> machine;
  partition::Method partition = partition::Method::exact;
  std::optional<Vec3> node_grid;    ///< with Method::given
  std::optional<Vec3> device_grid;  ///< with Method::given
  /// Relative speed of each subdomain's device, by subdomain_id, all above 0; empty for equal devices.
  std::vector<double> weights;
  placement::Request placement;
  routing::Policy policy;
  exchange::Tuning tuning;
  /// One message a neighbour, or one a direction; the same on all ranks.
  routing::Messages messages = routing::Messages::by_neighbour;
  /// To find work that is not ordered with exchanges: halos are filled with 0xff bytes (NaN) when an exchange starts, which
  /// work that reads them too early then sees; and the end of the exchange waits until all is done, and throws ProtocolError
  /// where cells that are sent were written meanwhile, or a halo is not what was sent. Exchanges cannot be captured, and take
  /// many times as long. The same on all ranks.
  bool check_order = false;

  /// How long a collective or one step of an exchange may take before it is an error.
  Duration timeout = std::chrono::seconds(120);

  /// For the tools of Halocline's own tree.
  std::shared_ptr<const InternalOptions> internal;

  /// What the environment says (HALOCLINE_...) as options.
  static DomainOptions from(const Environment& environment);
};

}  // namespace halocline
#pragma GCC visibility pop
