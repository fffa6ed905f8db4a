// SPDX-License-Identifier: BSD-3-Clause
#include "machine/interconnect.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "halocline/error.hpp"
#include "machine/detail/node_routes.hpp"
#include "machine/fabric/links.hpp"

namespace halocline::machine {

/// Ids: node by node, in the order of the node's type; then rail by rail, first the nodes' ports, out and in, then the
/// fabric's links.
struct Interconnect::Impl {
  explicit Impl(const MachineMap& map)
      : network(map.network), fabric(make_fabric_links(map.network.fabric.shape, map.port_count())) {
    for (const NodeType& type : map.types) types.emplace_back(type, network.fabric.rails);
    for (const NodeEntry& node : map.nodes) {
      const std::int64_t port = node.port >= 0 ? node.port : std::ssize(nodes);
      nodes.push_back({in_nodes, node.type, node.rack, port, node.name});
      in_nodes += types[static_cast<std::size_t>(node.type)].channel_count();
    }
    ports = 2 * static_cast<std::int64_t>(nodes.size());
    in_rail = ports + fabric->count();
  }

  struct Node {
    std::int64_t first;  ///< channel
    int type;
    int rack;
    std::int64_t port;  ///< in the fabric
    std::string name;
  };

  /// Throws InvalidArgument unless a channel belongs to the network, or does not, as the caller requires.
  void check_network(std::int64_t id, bool wanted) const {
    check(id);
    if ((id >= in_nodes) == wanted) return;
    throw InvalidArgument(
        fmt::format("channel {} is {} the network; allowed is 0 to {} within nodes, {} to {} in the network", id,
                    wanted ? "not in" : "in", in_nodes - 1, in_nodes, channel_count() - 1));
  }
  [[nodiscard]] std::int64_t channel_count() const { return in_nodes + network.fabric.rails * in_rail; }
  void check(std::int64_t id) const {
    if (id >= 0 && id < channel_count()) return;
    throw InvalidArgument(fmt::format("channel is {}; allowed is 0 to {}", id, channel_count() - 1));
  }
  /// Of a channel within a node.
  [[nodiscard]] const Node& node_with(std::int64_t id) const {
    const auto next = std::ranges::upper_bound(nodes, id, {}, &Node::first);
    return *(next - 1);
  }
  [[nodiscard]] const NodeRoutes& routes_of(const Node& node) const {
    return types[static_cast<std::size_t>(node.type)];
  }
  [[nodiscard]] const Node& node_of(node_id id) const {
    if (id.valid() && id.index() < nodes.size()) return nodes[id.index()];
    throw InvalidArgument(fmt::format("node is {}; allowed is 0 to {}", id.value(), nodes.size() - 1));
  }
  [[nodiscard]] const Node& node_of(const Place& place) const {
    const Node& node = node_of(place.node);
    const std::size_t vertices = routes_of(node).type().vertices.size();
    if (place.vertex >= 0 && static_cast<std::size_t>(place.vertex) < vertices) return node;
    throw InvalidArgument(fmt::format("vertex is {}; node {} ('{}') has {} vertices", place.vertex, place.node.value(),
                                      node.name, vertices));
  }

  /// From port to port.
  void cross(node_id from, node_id to, int on_rail, std::vector<std::int64_t>& path) const {
    const std::int64_t rail = in_nodes + on_rail * in_rail;
    path.push_back(rail + 2 * from.value());
    fabric->route(nodes[from.index()].port, nodes[to.index()].port, rail + ports, path);
    path.push_back(rail + 2 * to.value() + 1);
  }

  Network network;
  std::unique_ptr<FabricLinks> fabric;  ///< of one rail
  std::vector<NodeRoutes> types;
  std::vector<Node> nodes;
  std::int64_t in_nodes = 0;  ///< channels of all nodes
  std::int64_t ports = 0;     ///< channels of a rail's ports
  std::int64_t in_rail = 0;   ///< channels of a rail
};

Interconnect::Interconnect(const MachineMap& map) {
  map.check();
  impl_ = std::make_shared<const Impl>(map);
}

std::int64_t Interconnect::channel_count() const { return impl_->channel_count(); }

Channel Interconnect::channel(std::int64_t id) const {
  impl_->check(id);
  if (id < impl_->in_nodes) {
    const Impl::Node& node = impl_->node_with(id);
    return impl_->routes_of(node).channel(static_cast<int>(id - node.first));
  }
  const std::int64_t in_rail = (id - impl_->in_nodes) % impl_->in_rail;
  const Network& network = impl_->network;
  if (in_rail < impl_->ports) return {LinkKind::network, network.bandwidth / network.fabric.rails, network.latency / 2};
  const LinkRate rate = impl_->fabric->rate(in_rail - impl_->ports);
  return {LinkKind::network, rate.bandwidth, rate.latency};
}

std::string Interconnect::name(std::int64_t id) const {
  impl_->check(id);
  if (id < impl_->in_nodes) {
    const Impl::Node& node = impl_->node_with(id);
    return fmt::format("{}: {}", node.name, impl_->routes_of(node).name(static_cast<int>(id - node.first)));
  }
  const std::int64_t rail = (id - impl_->in_nodes) / impl_->in_rail;
  const std::int64_t in_rail = (id - impl_->in_nodes) % impl_->in_rail;
  const std::string whose = impl_->network.fabric.rails > 1 ? fmt::format("rail {}", rail) : "fabric";
  if (in_rail >= impl_->ports) return fmt::format("{} {}", whose, impl_->fabric->name(in_rail - impl_->ports));
  return fmt::format("{} port of {} {}", whose, impl_->nodes[static_cast<std::size_t>(in_rail / 2)].name,
                     in_rail % 2 == 0 ? "out" : "in");
}

Place Interconnect::device(node_id node, device_id device) const {
  const std::vector<int>& devices = impl_->routes_of(impl_->node_of(node)).devices();
  if (!device.valid() || device.index() >= devices.size()) {
    throw InvalidArgument(
        fmt::format("device is {}; node {} has {} devices", device.value(), node.value(), devices.size()));
  }
  return {node, devices[device.index()]};
}

void Interconnect::route(const Place& from, const Place& to, std::vector<std::int64_t>& path) const {
  const Impl::Node& here = impl_->node_of(from);
  const Impl::Node& there = impl_->node_of(to);
  const NodeRoutes& ours = impl_->routes_of(here);
  const NodeRoutes& theirs = impl_->routes_of(there);
  if (from.node == to.node) {
    ours.route(from.vertex, to.vertex, here.first, path);
    return;
  }
  if (here.rack >= 0 && here.rack == there.rack &&
      ours.route_in_rack(from.vertex, here.first, theirs, to.vertex, there.first, path)) {
    return;
  }
  const NodeRoutes::Exit out = ours.exit(from.vertex);
  const NodeRoutes::Exit in = theirs.exit_on(to.vertex, out.rail);
  if (out.vertex != from.vertex) ours.route(from.vertex, out.vertex, here.first, path);
  impl_->cross(from.node, to.node, out.rail, path);
  if (in.vertex != to.vertex) theirs.route(in.vertex, to.vertex, there.first, path);
}

std::int64_t Interconnect::first_network_channel() const { return impl_->in_nodes; }
std::int64_t Interconnect::channels_of_rail() const { return impl_->in_rail; }
int Interconnect::rails() const { return impl_->network.fabric.rails; }

void Interconnect::network_route(node_id from, node_id to, int rail, std::vector<std::int64_t>& path) const {
  static_cast<void>(impl_->node_of(from));
  static_cast<void>(impl_->node_of(to));
  if (rail < 0 || rail >= rails()) {
    throw InvalidArgument(fmt::format("rail is {}; allowed is 0 to {}", rail, rails() - 1));
  }
  if (from != to) impl_->cross(from, to, rail, path);
}

std::int64_t Interconnect::network_vertices() const { return std::ssize(impl_->nodes) + impl_->fabric->switches(); }

Interconnect::Ends Interconnect::network_ends(std::int64_t id) const {
  impl_->check_network(id, true);
  const std::int64_t in_rail = (id - impl_->in_nodes) % impl_->in_rail;
  const auto nodes = std::ssize(impl_->nodes);
  if (in_rail < impl_->ports) {
    const std::int64_t node = in_rail / 2;
    const std::int64_t its_switch = nodes + impl_->fabric->switch_of(impl_->nodes[static_cast<std::size_t>(node)].port);
    return in_rail % 2 == 0 ? Ends{node, its_switch} : Ends{its_switch, node};
  }
  const Ends between = impl_->fabric->ends(in_rail - impl_->ports);
  return {nodes + between.from, nodes + between.to};
}

Interconnect::NodeLink Interconnect::node_link(std::int64_t id) const {
  impl_->check_network(id, false);
  const Impl::Node& node = impl_->node_with(id);
  const auto [link, forward] = impl_->routes_of(node).link_of(static_cast<int>(id - node.first));
  return {node_id(&node - impl_->nodes.data()), link, forward};
}

}  // namespace halocline::machine
