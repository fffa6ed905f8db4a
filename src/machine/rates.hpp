// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/ids.hpp"
#include "machine/machine_map.hpp"

// What the measurements in a machine map tell about links and transports.
namespace halocline::machine {

/// A rate measured one way that is below the rate of the links.
struct SlowPath {
  int type = 0;  ///< index in MachineMap::types
  int from = 0;  ///< device_id values, or Measurement::host
  int to = 0;
  std::string method;
  int numa = -1;
  double measured = 0;  ///< bytes a second
  double nominal = 0;   ///< bytes a second
};
/// Compares "copy" and "pinned", one way, with the best path of links; returns the rates that are lower by more than a fraction of
/// the nominal rate (0.2: 20 %). A rate above the nominal one shows that the nominal one was a guess, and is not returned.
[[nodiscard]] std::vector<SlowPath> slow_paths(const MachineMap& map, double tolerance);

/// Returns the method that measures the rate of a routing transport between two devices ("peer_copy" and "ipc_copy":
/// "copy", "direct": "put", "self": "copy" of the device to itself), or nothing if the name is not a transport.
[[nodiscard]] std::optional<std::string_view> method_of_transport(std::string_view transport);
/// Returns the measured two-way rate of a transport, bytes a second in one direction, as routing::PairFacts::measured
/// requires it; nothing if there is none. Within one device the one-way rate is used, because there is no opposite
/// direction.
[[nodiscard]] std::optional<double> transport_rate(const NodeType& type, device_id from, device_id to,
                                                   std::string_view transport);

}  // namespace halocline::machine
