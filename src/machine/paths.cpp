#include <fmt/core.h>

#include <map>

#include "halocline/core/error.hpp"
#include "halocline/machine/machine_map.hpp"
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
  const auto source = static_cast<std::size_t>(devices[from]);
  const std::vector<double> widths = search.widths(source);
  std::map<double, std::vector<PathSearch::Reached>> fastest;  // by width; few differ
  std::vector<NodeType::Path> paths;
  for (std::size_t to = 0; to < devices.size(); ++to) {
    const auto target = static_cast<std::size_t>(devices[to]);
    const double width = widths[target];
    if (to == from) {
      paths.push_back(own_memory(type, devices[to]));
    } else if (width == 0) {
      paths.push_back({0, 0});
    } else {
      auto found = fastest.find(width);
      if (found == fastest.end()) found = fastest.emplace(width, search.fastest(source, width)).first;
      paths.push_back({width, found->second[target].latency});
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
  return row(*this, PathSearch(*this), devices, from.index())[to.index()];
}

std::vector<NodeType::Path> NodeType::paths() const {
  const std::vector<int> devices = device_vertices();
  const PathSearch search(*this);
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
  const PathSearch search(*this);
  const auto source = static_cast<std::size_t>(a);
  const auto target = static_cast<std::size_t>(b);
  const double width = search.widths(source)[target];
  return width == 0 ? Path{0, 0} : Path{width, search.fastest(source, width)[target].latency};
}

}  // namespace halocline::machine
