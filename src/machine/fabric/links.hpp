// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/interconnect.hpp"
#include "machine/machine_map.hpp"

// The links between the ports of nodes. Everything is computed from the numbers that describe the fabric, so that a
// large one takes no memory.
namespace halocline::machine {

/// The links of one rail; the ids of their directions are 0 to count() - 1.
class FabricLinks {
 public:
  virtual ~FabricLinks() = default;
  [[nodiscard]] virtual std::int64_t count() const = 0;
  [[nodiscard]] virtual LinkRate rate(std::int64_t id) const = 0;
  [[nodiscard]] virtual std::string name(std::int64_t id) const = 0;
  /// Switches or routers, numbered 0 to switches() - 1: the one that a node's port is connected to, and those at which
  /// a direction of a link begins and ends.
  [[nodiscard]] virtual std::int64_t switches() const = 0;
  [[nodiscard]] virtual std::int64_t switch_of(std::int64_t node) const = 0;
  [[nodiscard]] virtual Interconnect::Ends ends(std::int64_t id) const = 0;
  /// Appends the ids from the port of one node to the port of another, each plus `first`.
  virtual void route(std::int64_t from, std::int64_t to, std::int64_t first, std::vector<std::int64_t>& path) const = 0;
};

/// The shape must have been checked and must have room for this number of nodes.
[[nodiscard]] std::unique_ptr<FabricLinks> make_fabric_links(const Fabric::Shape& shape, std::int64_t nodes);
[[nodiscard]] std::unique_ptr<FabricLinks> make_links(const Crossbar& crossbar, std::int64_t nodes);
[[nodiscard]] std::unique_ptr<FabricLinks> make_links(const FatTree& tree, std::int64_t nodes);
[[nodiscard]] std::unique_ptr<FabricLinks> make_links(const Dragonfly& dragonfly, std::int64_t nodes);
[[nodiscard]] std::unique_ptr<FabricLinks> make_links(const Torus& torus, std::int64_t nodes);

}  // namespace halocline::machine
