// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "core/serialise.hpp"
#include "discovery/probe.hpp"
#include "machine/machine_map.hpp"

// The members of what is sent between ranks during discovery and measurement; see core/serialise.hpp.
namespace halocline::machine {

auto members(MaybeConst<Vertex> auto& vertex) {
  return std::tie(vertex.kind, vertex.name, vertex.memory_bytes, vertex.cores, vertex.load_store_domain);
}
auto members(MaybeConst<Measurement> auto& measurement) {
  return std::tie(measurement.from, measurement.to, measurement.method, measurement.bandwidth, measurement.latency,
                  measurement.traffic, measurement.numa, measurement.bytes);
}
auto members(MaybeConst<NodeType> auto& type) {
  return std::tie(type.name, type.vertices, type.links, type.measurements, type.exchange_rates);
}
auto members(MaybeConst<NodeEntry> auto& node) {
  return std::tie(node.name, node.type, node.device_uuids, node.rack, node.port);
}
auto members(MaybeConst<RankEntry> auto& rank) { return std::tie(rank.node, rank.devices); }
auto members(MaybeConst<FatTree> auto& tree) { return std::tie(tree.levels); }
auto members(MaybeConst<Torus> auto& torus) { return std::tie(torus.nodes_per_router, torus.dimensions); }
auto members(MaybeConst<Network> auto& network) {
  return std::tie(network.bandwidth, network.latency, network.fabric.rails, network.fabric.shape);
}
auto members(MaybeConst<MachineMap> auto& map) {
  return std::tie(map.name, map.types, map.nodes, map.ranks, map.network, map.software, map.sources);
}

auto members(MaybeConst<DeviceProbe> auto& device) {
  return std::tie(device.kind, device.name, device.uuid, device.memory_bytes, device.numa, device.no_access,
                  device.access);
}
auto members(MaybeConst<NvmlLink> auto& link) {
  return std::tie(link.remote, link.remote_pci, link.version, link.megabytes_per_second);
}
auto members(MaybeConst<NvmlGpu> auto& gpu) {
  return std::tie(gpu.uuid, gpu.pci, gpu.numa, gpu.cpus, gpu.pcie_generation, gpu.pcie_lanes, gpu.memory_clock_mhz,
                  gpu.memory_bus_bits, gpu.links, gpu.fabric);
}
auto members(MaybeConst<NvmlPair> auto& pair) {
  return std::tie(pair.a, pair.b, pair.ancestor, pair.load_store, pair.nvlink);
}
auto members(MaybeConst<NvmlReport> auto& report) {
  return std::tie(report.gpus, report.pairs, report.driver, report.why_not);
}

}  // namespace halocline::machine
