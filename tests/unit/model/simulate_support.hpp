// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "machine/interconnect.hpp"
#include "machine/synthetic.hpp"
#include "model/simulate.hpp"
#include "unit/model/support.hpp"

namespace halocline::model {

using machine::Interconnect;
using machine::LinkKind;
using machine::MachineMap;
using machine::Place;
using machine::VertexKind;
using routing::Transport;

inline constexpr double giga = 1e9;
inline constexpr double near = 1e-8;  ///< seconds; times of the simulation are exact to 1e-11

/// Two devices on one package with its memory, and a network card: GB/s and us as below.
inline constexpr int numa = 1;
inline constexpr int device0 = 2;
inline constexpr int device1 = 3;

inline machine::NodeType node_type() {
  machine::NodeType type;
  type.name = "test";
  type.vertices = {{VertexKind::package, "package"},
                   {VertexKind::numa, "memory"},
                   {VertexKind::device, "left", 0, 0, 0},
                   {VertexKind::device, "right", 0, 0, 0},
                   {VertexKind::nic, "card"}};
  type.links = {{0, numa, LinkKind::memory, 50 * giga, 0},
                {0, device0, LinkKind::pcie, 10 * giga, 1e-6},
                {0, device1, LinkKind::pcie, 5 * giga, 2e-6},
                {device0, device1, LinkKind::nvlink, 20 * giga, 3e-6},
                {0, 4, LinkKind::pcie, 8 * giga, 0},
                {device0, device0, LinkKind::memory, 100 * giga, 0},
                {device1, device1, LinkKind::memory, 100 * giga, 0}};
  return type;
}

inline MachineMap map_of(std::int64_t nodes, std::int64_t ranks_per_node) {
  MachineMap map;
  map.name = "test";
  map.types = {node_type()};
  for (std::int64_t n = 0; n < nodes; ++n) map.nodes.push_back({"node" + std::to_string(n), 0, {}, -1});
  map.network.bandwidth = 4 * giga;
  map.network.latency = 4e-6;
  machine::assign_ranks(map, ranks_per_node);
  return map;
}

inline Place at(std::int64_t node, int vertex) { return {node_id(node), vertex}; }

class Simulate : public testing::Test {
 protected:
  Interconnect net{map_of(3, 2)};
  std::vector<double> ends(const std::vector<Flow>& flows, const std::vector<SharedResource>& resources = {}) {
    return simulate(net, resources, flows).ends;
  }
};

}  // namespace halocline::model
