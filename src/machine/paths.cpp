// SPDX-License-Identifier: BSD-3-Clause
#include "machine/paths.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "machine/path_search.hpp"

namespace halocline::machine {
namespace {

Path own_memory(const NodeType& type, int vertex) {
  Path best{0, 0};
  for (const Link& link : type.links) {
    if (link.kind != LinkKind::memory || (link.a != vertex && link.b != vertex)) continue;
    if (link.bandwidth > best.bandwidth || (link.bandwidth == best.bandwidth && link.latency < best.latency)) {
      best = {link.bandwidth, link.latency};
    }
  }
  return best.bandwidth > 0 ? best : Path{PathSearch::infinite, 0};
}

/// Links only, from one device to all.
std::vector<Path> row(const NodeType& type, const PathSearch& search, const std::vector<int>& devices,
                      std::size_t from) {
  PathsFrom reached(search, devices[from]);
  std::vector<Path> paths;
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

Path best_path(const NodeType& type, device_id from, device_id to) {
  const std::vector<int> devices = type.device_vertices();
  for (const device_id id : {from, to}) {
    if (!id.valid() || id.index() >= devices.size()) {
      throw InvalidArgument(
          fmt::format("device is {}; node type '{}' has {} devices", id.value(), type.name, devices.size()));
    }
  }
  const auto a = static_cast<int>(from.value());
  const auto b = static_cast<int>(to.value());
  if (const Measurement* m = find_measurement(type, a, b, "copy", Traffic::one_way)) return {m->bandwidth, m->latency};
  return row(type, PathSearch(link_graph(type)), devices, from.index())[to.index()];
}

std::vector<Path> best_paths(const NodeType& type) {
  const std::vector<int> devices = type.device_vertices();
  const PathSearch search(link_graph(type));
  std::vector<Path> all;
  for (std::size_t from = 0; from < devices.size(); ++from) {
    const std::vector<Path> one = row(type, search, devices, from);
    all.insert(all.end(), one.begin(), one.end());
  }
  for (const Measurement& m : type.measurements) {
    if (m.method != "copy" || m.traffic != Traffic::one_way) continue;
    if (m.from == Measurement::host || m.to == Measurement::host) continue;
    const auto at = static_cast<std::size_t>(m.from) * devices.size() + static_cast<std::size_t>(m.to);
    all.at(at) = {m.bandwidth, m.latency};
  }
  return all;
}

Path link_path(const NodeType& type, int a, int b) {
  for (const int vertex : {a, b}) {
    if (vertex < 0 || static_cast<std::size_t>(vertex) >= type.vertices.size()) {
      throw InvalidArgument(
          fmt::format("vertex is {}; node type '{}' has {} vertices", vertex, type.name, type.vertices.size()));
    }
  }
  if (a == b) return {PathSearch::infinite, 0};
  const PathSearch search(link_graph(type));
  PathsFrom reached(search, a);
  const double width = reached.widths()[static_cast<std::size_t>(b)];
  return width == 0 ? Path{0, 0} : Path{width, reached.latency(b)};
}

const Measurement* find_measurement(const NodeType& type, int from, int to, std::string_view method, Traffic traffic,
                                    int numa) {
  for (const Measurement& m : type.measurements) {
    const bool memory = numa == -1 || m.numa == numa;
    if (m.from == from && m.to == to && m.traffic == traffic && memory && m.method == method) return &m;
  }
  return nullptr;
}

}  // namespace halocline::machine
