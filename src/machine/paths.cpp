// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "halocline/error.hpp"
#include "halocline/machine_map.hpp"
#include "machine/path_search.hpp"

namespace halocline::machine {
namespace {

NodeType::Path own_memory(const NodeType& type, int vertex) {
  NodeType::Path best{0, 0};
  for (const Link& link : type.links) {
    if (link.kind != LinkKind::memory || (link.a != vertex && link.b != vertex)) continue;
    if (link.bandwidth > best.bandwidth || (link.bandwidth == best.bandwidth && link.latency < best.latency)) {
      best = {link.bandwidth, link.latency};
    }
  }
  return best.bandwidth > 0 ? best : NodeType::Path{PathSearch::infinite, 0};
}

/// Links only, from one device to all.
std::vector<NodeType::Path> row(const NodeType& type, const PathSearch& search, const std::vector<int>& devices,
                                std::size_t from) {
  PathsFrom reached(search, devices[from]);
  std::vector<NodeType::Path> paths;
  for (std::size_t to = 0; to < devices.size(); ++to) {
    const double width = reached.widths()[static_cast<std::size_t>(devices[to])];
    if (to == from) {
      paths.push_back(own_memory(type, devices[to]));
    } else if (width == 0) {
      paths.push_back({0, 0});
    } else {
      paths.push_back({width, reached.latency(devices[to])});
    }
  }
  return paths;
}

}  // namespace

NodeType::Path NodeType::path(device_id from, device_id to) const {
  const std::vector<int> devices = device_vertices();
  for (const device_id id : {from, to}) {
    if (!id.valid() || id.index() >= devices.size()) {
      throw InvalidArgument(
          fmt::format("device is {}; node type '{}' has {} devices", id.value(), name, devices.size()));
    }
  }
  const auto a = static_cast<int>(from.value());
  const auto b = static_cast<int>(to.value());
  if (const Measurement* m = measured(a, b, "copy", Traffic::one_way)) return {m->bandwidth, m->latency};
  return row(*this, PathSearch(link_graph(*this)), devices, from.index())[to.index()];
}

std::vector<NodeType::Path> NodeType::paths() const {
  const std::vector<int> devices = device_vertices();
  const PathSearch search(link_graph(*this));
  std::vector<Path> all;
  for (std::size_t from = 0; from < devices.size(); ++from) {
    const std::vector<Path> one = row(*this, search, devices, from);
    all.insert(all.end(), one.begin(), one.end());
  }
  for (const Measurement& m : measurements) {
    if (m.method != "copy" || m.traffic != Traffic::one_way) continue;
    if (m.from == Measurement::host || m.to == Measurement::host) continue;
    const auto at = static_cast<std::size_t>(m.from) * devices.size() + static_cast<std::size_t>(m.to);
    all.at(at) = {m.bandwidth, m.latency};
  }
  return all;
}

NodeType::Path NodeType::link_path(int a, int b) const {
  for (const int vertex : {a, b}) {
    if (vertex < 0 || static_cast<std::size_t>(vertex) >= vertices.size()) {
      throw InvalidArgument(fmt::format("vertex is {}; node type '{}' has {} vertices", vertex, name, vertices.size()));
    }
  }
  if (a == b) return {PathSearch::infinite, 0};
  const PathSearch search(link_graph(*this));
  PathsFrom reached(search, a);
  const double width = reached.widths()[static_cast<std::size_t>(b)];
  return width == 0 ? Path{0, 0} : Path{width, reached.latency(b)};
}

}  // namespace halocline::machine
