// SPDX-License-Identifier: BSD-3-Clause
#include "machine/nvlink.hpp"

#include <set>

namespace halocline::machine {
namespace {

/// What NVLink leads to from a vertex.
std::set<int> linked(const NodeType& type, int vertex) {
  std::set<int> ends;
  for (const Link& link : type.links) {
    if (link.kind != LinkKind::nvlink) continue;
    if (link.a == vertex) ends.insert(link.b);
    if (link.b == vertex) ends.insert(link.a);
  }
  return ends;
}

}  // namespace

bool joined_by_nvlink(const NodeType& type, device_id a, device_id b) {
  const std::vector<int> devices = type.device_vertices();
  const int to = devices.at(b.index());
  for (const int next : linked(type, devices.at(a.index()))) {
    if (next == to) return true;
    const bool is_switch = type.vertices.at(static_cast<std::size_t>(next)).kind == VertexKind::link_switch;
    if (is_switch && linked(type, next).contains(to)) return true;
  }
  return false;
}

}  // namespace halocline::machine
