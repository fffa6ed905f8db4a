// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "halocline/ids.hpp"
#include "model/simulate.hpp"

namespace halocline::model {

/// What simulate_exchange() simulates, for studies that change it before they call simulate().
struct ExchangeFlows {
  std::vector<SharedResource> resources;
  std::vector<Flow> flows;
  std::vector<rank_id> senders;  ///< by flow, of its message
};

/// With messages by neighbour. routes: those of a sender follow each other. Throws as simulate_exchange().
[[nodiscard]] ExchangeFlows exchange_flows(const partition::Geometry& geometry, const placement::Placement& placement,
                                           std::span<const routing::Route> routes, const machine::MachineMap& map,
                                           const machine::Interconnect& interconnect);

}  // namespace halocline::model
