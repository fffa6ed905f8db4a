// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/options.hpp"

namespace halocline {

DomainOptions DomainOptions::from(const Environment& environment) {
  DomainOptions options;
  options.devices.kind = device_kind_of(environment.backend);
  options.devices.per_rank = environment.devices_per_rank;
  options.devices.host_workers = environment.host_workers.value_or(0);
  options.machine.ranks_per_node = environment.ranks_per_node;
  options.timeout = environment.timeout;
  options.slow_paths = environment.slow_paths;
  options.debug.validate_ordering = environment.validate_ordering;
  if (environment.transports) {
    options.routing.policy = routing::Policy::parse(*environment.transports, "HALOCLINE_TRANSPORTS is");
  }
  options.routing.net_engine = routing::net_engine_from_string(environment.net_engine);
  return options;
}

}  // namespace halocline
