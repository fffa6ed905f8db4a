// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/ids.hpp"
#include "halocline/machine_map.hpp"

// What a machine map's measurements say of links and transports.
namespace halocline::machine {

/// Where a rate measured one way is off what the links say.
struct Disagreement {
  int type = 0;  ///< index in MachineMap::types
  int from = 0;  ///< device_id values, or Measurement::host
  int to = 0;
  std::string method;
  int numa = -1;
  double measured = 0;  ///< bytes a second
  double nominal = 0;   ///< bytes a second
};
/// "copy" and "pinned", one way, beside the best path of links, where they differ by more than a part of the nominal
/// rate (0.2: 20 %).
[[nodiscard]] std::vector<Disagreement> disagreements(const MachineMap& map, double tolerance);

/// The method whose rate a transport of routing has between two devices ("peer_copy" and "ipc_copy": "copy", "direct":
/// "put", "self": "copy" of the device to itself), or nothing for a name that is no transport.
[[nodiscard]] std::optional<std::string_view> method_of_transport(std::string_view transport);
/// Measured two-way rate of a transport, bytes a second in one direction, as routing::PairFacts::measured takes it;
/// nothing where there is none. Within one device the one-way rate is taken: there is no opposite direction.
[[nodiscard]] std::optional<double> transport_rate(const NodeType& type, device_id from, device_id to,
                                                   std::string_view transport);

}  // namespace halocline::machine
