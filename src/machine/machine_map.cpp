// SPDX-License-Identifier: BSD-3-Clause
#include "machine/machine_map.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "halocline/error.hpp"

namespace halocline::machine {

std::vector<int> NodeType::device_vertices() const {
  std::vector<int> devices;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (vertices[v].kind == VertexKind::device) devices.push_back(static_cast<int>(v));
  }
  return devices;
}

int NodeType::device_count() const {
  int count = 0;
  for (const Vertex& vertex : vertices) count += vertex.kind == VertexKind::device ? 1 : 0;
  return count;
}

std::int64_t NodeType::core_count() const {
  std::int64_t count = 0;
  for (const Vertex& vertex : vertices) count += vertex.kind == VertexKind::package ? vertex.cores : 0;
  return count;
}

const NodeType& MachineMap::type_of(node_id node) const {
  if (!node.valid() || node.index() >= nodes.size()) {
    throw InvalidArgument(fmt::format("node is {}; the machine '{}' has {} nodes", node.value(), name, nodes.size()));
  }
  const int type = nodes[node.index()].type;
  if (type < 0 || static_cast<std::size_t>(type) >= types.size()) {
    throw InvalidArgument(fmt::format("nodes[{}].type is {}; there are {} types", node.value(), type, types.size()));
  }
  return types[static_cast<std::size_t>(type)];
}

int MachineMap::devices_of(node_id node) const { return type_of(node).device_count(); }

std::int64_t MachineMap::port_count() const {
  std::int64_t count = std::ssize(nodes);
  for (const NodeEntry& node : nodes) count = std::max(count, std::int64_t{node.port} + 1);
  return count;
}

std::int64_t MachineMap::device_count() const {
  std::vector<std::int64_t> of_type;
  for (const NodeType& type : types) of_type.push_back(type.device_count());
  std::int64_t count = 0;
  for (const NodeEntry& node : nodes) count += of_type.at(static_cast<std::size_t>(node.type));
  return count;
}

bool MachineMap::share_load_store(node_id node_a, device_id a, node_id node_b, device_id b) const {
  const auto domain_of = [this](node_id node, device_id device) {
    const NodeType& type = type_of(node);
    const std::vector<int> devices = type.device_vertices();
    if (!device.valid() || device.index() >= devices.size()) {
      throw InvalidArgument(
          fmt::format("device is {}; node {} has {} devices", device.value(), node.value(), devices.size()));
    }
    return type.vertices[static_cast<std::size_t>(devices[device.index()])].load_store_domain;
  };
  const int domain_a = domain_of(node_a, a);
  const int domain_b = domain_of(node_b, b);
  const int rack = nodes[node_a.index()].rack;
  const bool joined = node_a == node_b || (rack >= 0 && rack == nodes[node_b.index()].rack);
  return joined && domain_a >= 0 && domain_a == domain_b;
}

std::string MachineMap::uuid_of(node_id node, device_id device) const {
  const auto& uuids = nodes[node.index()].device_uuids;
  return device.valid() && device.index() < uuids.size() ? uuids[device.index()] : std::string();
}

}  // namespace halocline::machine
