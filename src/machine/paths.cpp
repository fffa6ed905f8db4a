#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include "halocline/core/error.hpp"
#include "halocline/machine/machine_map.hpp"

// Widest paths, ties to the least latency. One search over pairs (width, latency) would be wrong: a prefix that
// is narrower but faster can be the better one once a narrow link follows. So the width is found first, and
// the latency in the graph of the links that are wide enough.
namespace halocline::machine {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Edge {
  std::size_t to;
  double bandwidth;
  double latency;
};

class Search {
 public:
  explicit Search(const NodeType& type) : vertices_(type.vertices), edges_(type.vertices.size()) {
    for (const Link& link : type.links) {
      const auto a = static_cast<std::size_t>(link.a);
      const auto b = static_cast<std::size_t>(link.b);
      if (a == b) continue;
      edges_.at(a).push_back({b, link.bandwidth, link.latency});
      edges_.at(b).push_back({a, link.bandwidth, link.latency});
    }
  }

  /// The width of the widest path from source to each vertex; 0 where there is none.
  [[nodiscard]] std::vector<double> widths(std::size_t source) const {
    std::vector<double> width(edges_.size(), 0);
    std::priority_queue<std::pair<double, std::size_t>> queue;
    width[source] = infinite;
    queue.emplace(infinite, source);
    while (!queue.empty()) {
      const auto [reached, v] = queue.top();
      queue.pop();
      if (reached < width[v] || !leaves(v, source)) continue;
      for (const Edge& edge : edges_[v]) {
        const double through = std::min(reached, edge.bandwidth);
        if (through <= width[edge.to]) continue;
        width[edge.to] = through;
        queue.emplace(through, edge.to);
      }
    }
    return width;
  }

  /// The least latency from source to each vertex over links of at least a bandwidth.
  [[nodiscard]] std::vector<double> latencies(std::size_t source, double least_bandwidth) const {
    std::vector<double> latency(edges_.size(), infinite);
    std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>>
        queue;
    latency[source] = 0;
    queue.emplace(0, source);
    while (!queue.empty()) {
      const auto [reached, v] = queue.top();
      queue.pop();
      if (reached > latency[v] || !leaves(v, source)) continue;
      for (const Edge& edge : edges_[v]) {
        const double through = reached + edge.latency;
        if (edge.bandwidth < least_bandwidth || through >= latency[edge.to]) continue;
        latency[edge.to] = through;
        queue.emplace(through, edge.to);
      }
    }
    return latency;
  }

 private:
  /// Devices and NICs are ends of a path: no hardware forwards through another device.
  [[nodiscard]] bool leaves(std::size_t v, std::size_t source) const {
    const VertexKind kind = vertices_[v].kind;
    return v == source || (kind != VertexKind::device && kind != VertexKind::nic);
  }

  const std::vector<Vertex>& vertices_;
  std::vector<std::vector<Edge>> edges_;
};

NodeType::Path own_memory(const NodeType& type, int vertex) {
  NodeType::Path best{0, 0};
  for (const Link& link : type.links) {
    if (link.kind != LinkKind::memory || (link.a != vertex && link.b != vertex)) continue;
    if (link.bandwidth > best.bandwidth || (link.bandwidth == best.bandwidth && link.latency < best.latency)) {
      best = {link.bandwidth, link.latency};
    }
  }
  return best.bandwidth > 0 ? best : NodeType::Path{infinite, 0};
}

/// Links only, from one device to all.
std::vector<NodeType::Path> row(const NodeType& type, const Search& search, const std::vector<int>& devices,
                                std::size_t from) {
  const auto source = static_cast<std::size_t>(devices[from]);
  const std::vector<double> widths = search.widths(source);
  std::map<double, std::vector<double>> latencies;  // by width; few differ
  std::vector<NodeType::Path> paths;
  for (std::size_t to = 0; to < devices.size(); ++to) {
    const auto target = static_cast<std::size_t>(devices[to]);
    const double width = widths[target];
    if (to == from) {
      paths.push_back(own_memory(type, devices[to]));
    } else if (width == 0) {
      paths.push_back({0, 0});
    } else {
      auto found = latencies.find(width);
      if (found == latencies.end()) found = latencies.emplace(width, search.latencies(source, width)).first;
      paths.push_back({width, found->second[target]});
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
  return row(*this, Search(*this), devices, from.index())[to.index()];
}

std::vector<NodeType::Path> NodeType::paths() const {
  const std::vector<int> devices = device_vertices();
  const Search search(*this);
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
  if (a == b) return {infinite, 0};
  const Search search(*this);
  const auto source = static_cast<std::size_t>(a);
  const auto target = static_cast<std::size_t>(b);
  const double width = search.widths(source)[target];
  return width == 0 ? Path{0, 0} : Path{width, search.latencies(source, width)[target]};
}

}  // namespace halocline::machine
