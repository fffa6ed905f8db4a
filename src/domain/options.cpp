// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/options.hpp"

namespace halocline {

DomainOptions DomainOptions::from(const Environment& environment) {
  DomainOptions options;
  options.backend_kind = device_kind_of(environment.backend);
  options.devices_per_rank = environment.devices_per_rank;
  options.host_workers = environment.host_workers.value_or(0);
  options.ranks_per_node = environment.ranks_per_node;
  options.timeout = environment.timeout;
  options.check_order = environment.check_order;
  if (environment.transports) options.policy = routing::Policy::parse(*environment.transports);
  return options;
}

}  // namespace halocline
