// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "routing/chooser.hpp"
#include "routing/measured.hpp"

namespace halocline {

/// Routes for a machine that is not here; see assumed_routes().
class AssumedRouter {
 public:
  /// The map has to stay.
  AssumedRouter(const machine::MachineMap& machine, const routing::Policy& policy, bool device_mpi);
  /// sender and receiver: where the flow's two subdomains are.
  [[nodiscard]] RoutedMessage route(const partition::Flow& flow, const placement::Slot& sender,
                                    const placement::Slot& receiver);

 private:
  const machine::MachineMap& machine_;
  routing::MeasuredPairs measured_;
  Verdict device_mpi_;
  routing::Chooser chooser_;
};

}  // namespace halocline
