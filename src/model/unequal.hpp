// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/machine_map.hpp"

namespace halocline::model {

/// Fair shares of bandwidth, in bytes a second.
struct Shares {
  double least = 0;
  double most = 0;
  friend bool operator==(const Shares&, const Shares&) = default;
};

/// Shares that differ by a larger factor are unequal: less may be noise of measured rates.
inline constexpr double most_of_equal = 1.5;

/// How equally the devices of a machine are connected.
struct Connection {
  /// All devices of a node that ranks drive send to each other at once: the shares of the pairs, of all kinds of nodes. Above 16 devices
  /// a node, each sends to those 1, 2, 4, ... places after it.
  Shares within;
  /// All of them send to another node at once, over one switch: the shares of the devices, of all kinds of nodes. 0 for one node.
  Shares outside;
  [[nodiscard]] bool unequal() const;
};

/// Rates are the map's; see as_measured(). A device that several ranks drive counts once. Time: of two nodes of each kind.
[[nodiscard]] Connection connection_of(const machine::MachineMap& map);

}  // namespace halocline::model
