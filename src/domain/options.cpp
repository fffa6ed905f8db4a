#include "halocline/domain/domain.hpp"

namespace halocline {

DomainOptions DomainOptions::from(const Environment& environment) {
  DomainOptions options;
  if (environment.devices_per_rank) options.devices_per_rank = *environment.devices_per_rank;
  options.host_workers = environment.host_workers.value_or(0);
  options.ranks_per_node = environment.ranks_per_node;
  options.timeout = environment.timeout;
  if (environment.transports) options.policy = routing::Policy::parse(*environment.transports);
  return options;
}

}  // namespace halocline
