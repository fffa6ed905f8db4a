// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "halocline/error.hpp"
#include "mapping/topology.hpp"

namespace halocline::mapping {
namespace {

using machine::LinkKind;
using machine::NodeType;
using machine::VertexKind;

VertexKind kind_of(const NodeType& type, int vertex) { return type.vertices[static_cast<std::size_t>(vertex)].kind; }

/// Returns the memory link from a NUMA node to a package, or nothing.
const machine::Link* memory_link(const NodeType& type, int numa, int package) {
  for (const machine::Link& link : type.links) {
    const bool joins = (link.a == numa && link.b == package) || (link.a == package && link.b == numa);
    if (joins && link.kind == LinkKind::memory) return &link;
  }
  return nullptr;
}

/// Of a package without memory links. Assumed: what discovery takes where nothing is measured.
struct Rate {
  double bandwidth;
  double latency;
};
constexpr Rate unknown_memory{100e9, 0.1e-6};

/// Consecutive cores that are attached to one vertex.
struct CoreGroup {
  int vertex = 0;
  int cores = 0;
  double bandwidth = 0;  ///< of the memory
  double latency = 0;
};

/// The groups of a package: its NUMA nodes' cores in order. NUMA nodes that repeat cores of others (HBM in addition to DDR) get
/// none; cores that no NUMA node counts hang on the package.
void add_groups(const NodeType& type, int package, std::vector<CoreGroup>& groups, std::vector<int>& taken) {
  int left = type.vertices[static_cast<std::size_t>(package)].cores;
  for (int v = 0; v < static_cast<int>(type.vertices.size()) && left > 0; ++v) {
    if (kind_of(type, v) != VertexKind::numa) continue;
    const machine::Link* link = memory_link(type, v, package);
    if (link == nullptr) continue;
    int& used = taken[static_cast<std::size_t>(v)];
    const int cores = std::min(left, type.vertices[static_cast<std::size_t>(v)].cores - used);
    if (cores <= 0) continue;
    used += cores;
    left -= cores;
    groups.push_back({v, cores, link->bandwidth, link->latency});
  }
  if (left > 0) groups.push_back({package, left, unknown_memory.bandwidth, unknown_memory.latency});
}

std::vector<CoreGroup> core_groups(const NodeType& type) {
  std::vector<CoreGroup> groups;
  std::vector<int> taken(type.vertices.size(), 0);
  for (int v = 0; v < static_cast<int>(type.vertices.size()); ++v) {
    if (kind_of(type, v) == VertexKind::package) add_groups(type, v, groups, taken);
  }
  return groups;
}

/// The vertices and links of a node that a way may use, under new numbers.
class Builder {
 public:
  Builder(const NodeType& type, std::string name) : type_(type), number_(type.vertices.size(), -1) {
    graph_.name = std::move(name);
  }
  template <typename Keep>
  void add_vertices(Keep keep) {
    for (std::size_t v = 0; v < type_.vertices.size(); ++v) {
      if (keep(type_.vertices[v].kind)) number_[v] = add_vertex(type_.vertices[v].kind == VertexKind::device);
    }
  }
  template <typename Keep>
  void add_links(Keep keep) {
    for (std::size_t l = 0; l < type_.links.size(); ++l) {
      const machine::Link& link = type_.links[l];
      const int a = number(link.a);
      const int b = number(link.b);
      if (a < 0 || b < 0 || a == b || !keep(link.kind)) continue;
      graph_.links.push_back({a, b, {link.kind, link.bandwidth, link.latency}, static_cast<int>(l)});
    }
  }
  int add_vertex(bool is_end) {
    graph_.is_end.push_back(is_end);
    return graph_.vertices++;
  }
  [[nodiscard]] int number(int vertex) const { return number_[static_cast<std::size_t>(vertex)]; }
  Topology::Graph& graph() { return graph_; }

 private:
  const NodeType& type_;
  std::vector<int> number_;  ///< of a vertex of the node; -1: left out
  Topology::Graph graph_;
};

}  // namespace

std::vector<int> core_vertices(const NodeType& type) {
  std::vector<int> vertices;
  for (const CoreGroup& group : core_groups(type))
    vertices.insert(vertices.end(), static_cast<std::size_t>(group.cores), group.vertex);
  return vertices;
}

namespace {

/// Returns the channel from a group's NUMA node to its package; -1 if the cores are attached to the package.
int memory_channel(const NodeType& type, const CoreGroup& group, const Topology::Graph& graph, int numa) {
  if (kind_of(type, group.vertex) != VertexKind::numa) return -1;
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    const Topology::Link& link = graph.links[l];
    if (link.each_way.kind != LinkKind::memory || link.of_type < 0) continue;
    if (link.a == numa) return 2 * static_cast<int>(l);
    if (link.b == numa) return 2 * static_cast<int>(l) + 1;
  }
  return -1;
}

}  // namespace

Topology core_topology(const NodeType& type) {
  const std::vector<CoreGroup> groups = core_groups(type);
  if (groups.empty()) {
    throw InvalidArgument(
        fmt::format("node type '{}' has 0 cores; allowed is 1 or more (\"cores\" of its packages)", type.name));
  }
  Builder builder(type, fmt::format("cores of node type '{}'", type.name));
  builder.add_vertices([](VertexKind kind) { return kind == VertexKind::package || kind == VertexKind::numa; });
  builder.add_links([](LinkKind kind) { return kind == LinkKind::memory || kind == LinkKind::inter_package; });
  std::vector<int> memory_of;  // by core
  for (const CoreGroup& group : groups) {
    const int hub = builder.number(group.vertex);
    memory_of.insert(memory_of.end(), static_cast<std::size_t>(group.cores),
                     memory_channel(type, group, builder.graph(), hub));
    for (int c = 0; c < group.cores; ++c) {
      const int core = builder.add_vertex(true);
      builder.graph().places.push_back(core);
      builder.graph().links.push_back({hub, core, {LinkKind::memory, group.bandwidth, group.latency}, -1});
    }
  }
  // A tree has no link that all of a NUMA node's cores share, but what they send each other goes through its memory.
  Topology tree(builder.graph());
  std::vector<machine::Channel> channels(tree.channels().begin(), tree.channels().end());
  return {builder.graph(), std::move(channels),
          [tree = std::move(tree), memory_of = std::move(memory_of)](int from, int to, std::vector<int>& route) {
            std::vector<int> scratch;
            const auto climbed = tree.route(from, to, scratch);
            const auto begin = static_cast<std::ptrdiff_t>(route.size());
            route.insert(route.end(), climbed.begin(), climbed.end());
            const int memory = memory_of[static_cast<std::size_t>(from)];
            if (climbed.size() == 2 && memory >= 0) route.insert(route.begin() + begin + 1, {memory, memory ^ 1});
          }};
}

Topology device_topology(const NodeType& type) {
  Builder builder(type, fmt::format("devices of node type '{}'", type.name));
  // Host devices are attached to NUMA nodes, by memory links.
  builder.add_vertices([](VertexKind kind) { return kind != VertexKind::nic; });
  builder.add_links([](LinkKind kind) { return kind != LinkKind::network; });
  for (const int device : type.device_vertices()) builder.graph().places.push_back(builder.number(device));
  return Topology(builder.graph());
}

}  // namespace halocline::mapping
