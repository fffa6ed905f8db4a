// SPDX-License-Identifier: BSD-3-Clause
#include "machine/keep_devices.hpp"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "halocline/error.hpp"
#include "machine/synthetic.hpp"

namespace halocline::machine {
namespace {

/// The new position of each vertex; -1 for removed ones.
std::vector<int> new_positions(const NodeType& type, std::int64_t devices) {
  std::vector<int> positions;
  int next = 0;
  std::int64_t seen = 0;
  for (const Vertex& vertex : type.vertices) {
    const bool removed = vertex.kind == VertexKind::device && ++seen > devices;
    positions.push_back(removed ? -1 : next++);
  }
  return positions;
}

void keep_in(NodeType& type, std::int64_t devices) {
  const std::vector<int> position = new_positions(type, devices);
  const auto at = [&position](int vertex) { return position.at(static_cast<std::size_t>(vertex)); };
  std::vector<Vertex> vertices;
  for (std::size_t v = 0; v < type.vertices.size(); ++v) {
    if (position[v] >= 0) vertices.push_back(std::move(type.vertices[v]));
  }
  type.vertices = std::move(vertices);
  std::erase_if(type.links, [&](const Link& link) { return at(link.a) < 0 || at(link.b) < 0; });
  for (Link& link : type.links) {
    link.a = at(link.a);
    link.b = at(link.b);
  }
  std::erase_if(type.measurements, [devices](const Measurement& m) { return m.from >= devices || m.to >= devices; });
  for (Measurement& m : type.measurements) {
    if (m.numa >= 0) m.numa = at(m.numa);
  }
}

}  // namespace

void keep_devices(MachineMap& map, std::int64_t devices) {
  for (const NodeType& type : map.types) {
    if (devices < 1 || devices > type.device_count()) {
      throw InvalidArgument(fmt::format("devices to keep are {}; allowed is 1 to {}, the devices of '{}'", devices,
                                        type.device_count(), type.name));
    }
  }
  for (NodeType& type : map.types) keep_in(type, devices);
  for (NodeEntry& node : map.nodes) {
    if (std::cmp_less(devices, node.device_uuids.size())) node.device_uuids.resize(static_cast<std::size_t>(devices));
  }
  assign_ranks(map, devices);
}

}  // namespace halocline::machine
