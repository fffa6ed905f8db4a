// SPDX-License-Identifier: BSD-3-Clause
#include "machine/detail/node_routes.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/at.hpp"
#include "halocline/error.hpp"

namespace halocline::machine {
namespace {

/// Returns how many vertices of the same kind come before it.
int number_in_kind(const NodeType& type, int vertex) {
  const auto end = type.vertices.begin() + vertex;
  return static_cast<int>(
      std::count_if(type.vertices.begin(), end, [&](const Vertex& other) { return other.kind == end->kind; }));
}

/// Returns the memory link of a device or NUMA node with the highest bandwidth; -1 if there is none or the vertex is of
/// another kind.
int memory_link(const NodeType& type, int vertex) {
  const VertexKind kind = type.vertices[at(vertex)].kind;
  if (kind != VertexKind::device && kind != VertexKind::numa) return -1;
  int best = -1;
  for (int l = 0; l < static_cast<int>(type.links.size()); ++l) {
    const Link& link = type.links[at(l)];
    if (link.kind != LinkKind::memory || (link.a != vertex && link.b != vertex)) continue;
    const auto better = [&](const Link& than) {
      return link.bandwidth > than.bandwidth || (link.bandwidth == than.bandwidth && link.latency < than.latency);
    };
    if (best == -1 || better(type.links[at(best)])) best = l;
  }
  return best;
}

}  // namespace

NodeRoutes::NodeRoutes(const NodeType& type, int rails)
    : type_(type), devices_(type.device_vertices()), exit_columns_(1 + at(rails)) {
  type_.measurements.clear();
  type_.exchange_rates.clear();
  find_channels();
  const int vertices = static_cast<int>(type_.vertices.size());
  const LinkGraph graph = link_graph(type_);
  const PathSearch search(graph);
  std::vector<std::vector<double>> widths;
  path_first_.push_back(0);
  for (int v = 0; v < vertices; ++v) {
    PathsFrom paths(search, v);
    find_paths(graph, paths, v);
    widths.push_back(paths.widths());
  }
  for (int v = 0; v < vertices; ++v) find_exits(v, widths[at(v)], rails);
  find_switch_links();
}

Channel NodeRoutes::channel(int id) const {
  const Link& link = type_.links[at(channels_[at(id)].link)];
  return {link.kind, link.bandwidth, link.latency};
}

std::string NodeRoutes::name(int id) const {
  const auto [l, forward] = channels_[at(id)];
  const Link& link = type_.links[at(l)];
  if (link.a == link.b) return label(link.a) + " memory";
  return fmt::format("{} -> {}", label(forward ? link.a : link.b), label(forward ? link.b : link.a));
}

/// Adds a number to a name that several vertices have.
std::string NodeRoutes::label(int vertex) const {
  const std::string& name = type_.vertices[at(vertex)].name;
  int before = 0;
  int all = 0;
  for (int v = 0; v < static_cast<int>(type_.vertices.size()); ++v) {
    if (type_.vertices[at(v)].name != name) continue;
    ++all;
    if (v < vertex) ++before;
  }
  return all == 1 ? name : fmt::format("{} {}", name, before);
}

void NodeRoutes::find_channels() {
  for (int l = 0; l < static_cast<int>(type_.links.size()); ++l) {
    first_channel_.push_back(channel_count());
    channels_.push_back({l, true});
    if (type_.links[at(l)].a != type_.links[at(l)].b) channels_.push_back({l, false});
  }
}

int NodeRoutes::channel_from(int vertex, int link) const {
  return first_channel_[at(link)] + (type_.links[at(link)].a == vertex ? 0 : 1);
}

int NodeRoutes::reverse(int channel) const { return channel + (channels_[at(channel)].forward ? 1 : -1); }

/// Computes the paths to itself and to the vertices after it. The other paths are the same ones backwards, so that both
/// directions of a pair pass the same links.
void NodeRoutes::find_paths(const LinkGraph& graph, PathsFrom& paths, int from) {
  const int vertices = static_cast<int>(type_.vertices.size());
  for (int to = 0; to < vertices; ++to) {
    if (to == from) {
      const int link = memory_link(type_, from);
      if (link != -1) path_channels_.push_back(channel_from(from, link));
      if (link != -1 && type_.links[at(link)].a != type_.links[at(link)].b) {
        path_channels_.push_back(reverse(path_channels_.back()));
      }
    } else if (to > from) {
      for (const auto& [edge, forward] : paths.steps(to, graph)) {
        path_channels_.push_back(first_channel_[at(edge)] + (forward ? 0 : 1));
      }
    }
    path_first_.push_back(static_cast<int>(path_channels_.size()));
  }
}

std::pair<int, int> NodeRoutes::path_of(int a, int b) const {
  const std::size_t pair = at(std::min(a, b)) * type_.vertices.size() + at(std::max(a, b));
  return {path_first_[pair], path_first_[pair + 1]};
}

void NodeRoutes::route(int from, int to, std::int64_t first, std::vector<std::int64_t>& path) const {
  const auto [begin, end] = path_of(from, to);
  if (begin == end && from != to) {
    throw InvalidArgument(fmt::format("node type '{}' has no path from vertex {} ({}) to vertex {} ({})", type_.name,
                                      from, label(from), to, label(to)));
  }
  if (from <= to) {
    for (int i = begin; i < end; ++i) path.push_back(first + path_channels_[at(i)]);
  } else {
    for (int i = end; i-- > begin;) path.push_back(first + reverse(path_channels_[at(i)]));
  }
}

std::vector<int> NodeRoutes::ways_out() const {
  for (const VertexKind kind : {VertexKind::nic, VertexKind::package}) {
    std::vector<int> found;
    for (int v = 0; v < static_cast<int>(type_.vertices.size()); ++v) {
      if (type_.vertices[at(v)].kind == kind) found.push_back(v);
    }
    if (!found.empty()) return found;
  }
  return {};
}

void NodeRoutes::find_exits(int vertex, const std::vector<double>& widths, int rails) {
  const std::vector<int> ways = ways_out();
  const int number = number_in_kind(type_, vertex);
  for (int column = 0; column <= rails; ++column) {
    std::vector<Exit> best;
    std::pair<double, int> rank;  // wider and shorter is better
    for (int i = 0; i < static_cast<int>(ways.size()); ++i) {
      const int way = ways[at(i)];
      if (widths[at(way)] == 0 || (column > 0 && i % rails != column - 1)) continue;
      const auto [begin, end] = path_of(vertex, way);
      const std::pair<double, int> its{widths[at(way)], way == vertex ? 0 : begin - end};
      if (best.empty() || its > rank) best.clear();
      if (!best.empty() && its < rank) continue;
      rank = its;
      best.push_back({way, i % rails});
    }
    if (ways.empty()) best.push_back({vertex, 0});  // then the node's port is at this vertex
    exits_.push_back(best.empty() ? Exit{} : best[at(number) % best.size()]);
  }
}

NodeRoutes::Exit NodeRoutes::exit_of(int vertex, int column) const {
  const Exit found = exits_[at(vertex) * exit_columns_ + at(column)];
  if (found.vertex == -1) {
    throw InvalidArgument(fmt::format("node type '{}' has no path from vertex {} ({}) to the network{}", type_.name,
                                      vertex, label(vertex), column > 0 ? fmt::format(", rail {}", column - 1) : ""));
  }
  return found;
}

void NodeRoutes::find_switch_links() {
  switch_links_.resize(type_.vertices.size());
  for (int l = 0; l < static_cast<int>(type_.links.size()); ++l) {
    const Link& link = type_.links[at(l)];
    for (const auto& [device, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      if (type_.vertices[at(device)].load_store_domain < 0) continue;  // of no device, too
      if (type_.vertices[at(other)].kind != VertexKind::link_switch) continue;
      switch_links_[at(device)].push_back(
          {number_in_kind(type_, other), channel_from(device, l), channel_from(other, l)});
    }
  }
}

bool NodeRoutes::route_in_rack(int from, std::int64_t first, const NodeRoutes& peer, int to, std::int64_t peer_first,
                               std::vector<std::int64_t>& path) const {
  if (type_.vertices[at(from)].load_store_domain != peer.type_.vertices[at(to)].load_store_domain) return false;
  const SwitchLink* best_out = nullptr;
  const SwitchLink* best_in = nullptr;
  double widest = 0;
  for (const SwitchLink& out : switch_links_[at(from)]) {
    for (const SwitchLink& in : peer.switch_links_[at(to)]) {
      const double width = std::min(channel(out.out).bandwidth, peer.channel(in.in).bandwidth);
      if (out.number != in.number || width <= widest) continue;
      best_out = &out;
      best_in = &in;
      widest = width;
    }
  }
  if (best_out == nullptr) return false;
  path.push_back(first + best_out->out);
  path.push_back(peer_first + best_in->in);
  return true;
}

}  // namespace halocline::machine
