// SPDX-License-Identifier: BSD-3-Clause
// halocline_options as DomainOptions.
#include <algorithm>
#include <chrono>
#include <optional>

#include "convert.hpp"

namespace halocline::c {
namespace {

static_assert(HALOCLINE_PERIODIC_IN_KERNEL == static_cast<int>(Boundary::periodic_in_kernel));
static_assert(HALOCLINE_BACKEND_CUDA == static_cast<int>(DeviceKind::cuda) + 1);
static_assert(HALOCLINE_PARTITION_AUTOMATIC == static_cast<int>(partition::Method::automatic) + 1);
static_assert(HALOCLINE_PLACEMENT_SYSTEM == static_cast<int>(placement::Method::system) + 1);

bool flag(std::int32_t value, const char* name) {
  if (value != 0 && value != 1)
    throw InvalidArgument(std::string(name) + " is " + std::to_string(value) + "; allowed is 0 or 1");
  return value == 1;
}

/// Nothing for 0, the default.
std::optional<int> number(std::int32_t value, const char* name) {
  if (value < 0)
    throw InvalidArgument(std::string(name) + " is " + std::to_string(value) + "; allowed is 0 (the default) or more");
  return value == 0 ? std::nullopt : std::optional<int>(value);
}

std::optional<Vec3> grid(const std::int64_t* values) {
  const Vec3 found = vec(values);
  return found == Vec3{} ? std::nullopt : std::optional<Vec3>(found);
}

void set_partition(const halocline_options& from, PartitionOptions& to) {
  if (from.partition != HALOCLINE_PARTITION_DEFAULT) {
    to.method = enumerator<partition::Method>(from.partition, HALOCLINE_PARTITION_BISECTION,
                                              HALOCLINE_PARTITION_AUTOMATIC, "partition");
  }
  to.node_grid = grid(from.node_grid);
  to.device_grid = grid(from.device_grid);
  if (std::any_of(std::begin(from.cuts), std::end(from.cuts), [](const auto* cuts) { return cuts != nullptr; })) {
    to.cuts.emplace();
    for (std::size_t dim = 0; dim < 3; ++dim) {
      const std::int64_t* cuts = &required(from.cuts[dim], "cuts of a dimension");
      (*to.cuts)[dim].assign(cuts, cuts + checked_count(from.cut_counts[dim], cuts, "cuts"));
    }
  }
  to.weights.assign(from.weights, from.weights + checked_count(from.weight_count, from.weights, "weights"));
  to.measure_weights = from.measure_weights != 0;
}

void set_placement(const halocline_options& from, placement::Request& to) {
  if (from.placement != HALOCLINE_PLACEMENT_DEFAULT) {
    to.method = enumerator<placement::Method>(from.placement, HALOCLINE_PLACEMENT_TRIVIAL, HALOCLINE_PLACEMENT_SYSTEM,
                                              "placement");
  }
  to.seed = from.placement_seed;
  for (std::size_t i = 0; i < checked_count(from.owner_count, from.owners, "owners"); ++i) {
    to.owners.push_back({rank_id(from.owners[i].rank), from.owners[i].device});
  }
}

void set_devices(const halocline_options& from, DeviceOptions& to) {
  if (from.backend != HALOCLINE_BACKEND_DEFAULT)
    to.kind = enumerator<DeviceKind>(from.backend, HALOCLINE_BACKEND_HOST, HALOCLINE_BACKEND_CUDA, "backend");
  if (const auto devices = number(from.devices, "devices")) to.per_rank = devices;
  if (const auto workers = number(from.host_workers, "host_workers")) to.host_workers = *workers;
}

void set_timeout(double seconds, Duration& timeout) {
  if (seconds == 0) return;
  constexpr double most = 1e9;
  if (!(seconds > 0 && seconds <= most)) {
    throw InvalidArgument("timeout is " + std::to_string(seconds) + " s; allowed is 0 (the default), or up to 1e9");
  }
  timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

DomainOptions options_of(const halocline_options* options) {
  DomainOptions to = DomainOptions::from(Environment::read());
  if (options == nullptr) return to;
  const halocline_options from = sized(*options, sizeof(halocline_options), "halocline_options");
  for (std::size_t dim = 0; dim < 3; ++dim) {
    to.boundaries[dim] =
        enumerator<Boundary>(from.boundaries[dim], HALOCLINE_PERIODIC, HALOCLINE_PERIODIC_IN_KERNEL, "boundary");
  }
  if (flag(from.in_place, "in_place")) to.update = overlap::Update::in_place;
  to.steps_per_exchange = number(from.steps_per_exchange, "steps_per_exchange").value_or(1);
  set_devices(from, to.devices);
  if (const auto ranks = number(from.ranks_per_node, "ranks_per_node")) to.machine.ranks_per_node = ranks;
  if (from.machine != nullptr) to.machine.map = Machine::from_json(from.machine);
  set_partition(from, to.partition);
  set_placement(from, to.placement);
  if (from.transports != nullptr) to.routing.policy = routing::Policy::parse(from.transports);
  if (flag(from.by_direction, "by_direction")) to.routing.messages = routing::Messages::by_direction;
  if (from.messages != HALOCLINE_MESSAGES_DEFAULT) {
    to.routing.messages = enumerator<routing::Messages>(from.messages, HALOCLINE_MESSAGES_BY_NEIGHBOUR,
                                                        HALOCLINE_MESSAGES_AUTO, "messages");
  }
  if (flag(from.validate_ordering, "validate_ordering")) to.debug.validate_ordering = true;
  set_timeout(from.timeout, to.timeout);
  return to;
}

}  // namespace halocline::c
