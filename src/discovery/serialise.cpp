// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/serialise.hpp"

namespace halocline::machine {
namespace {

void put(ByteWriter& out, const Vertex& vertex) {
  out.put(static_cast<int>(vertex.kind));
  out.put(vertex.name);
  out.put(vertex.memory_bytes);
  out.put(vertex.cores);
  out.put(vertex.load_store_domain);
}

Vertex get_vertex(ByteReader& in) {
  Vertex vertex;
  vertex.kind = static_cast<VertexKind>(in.small());
  vertex.name = in.text();
  vertex.memory_bytes = in.integer();
  vertex.cores = in.small();
  vertex.load_store_domain = in.small();
  return vertex;
}

void put(ByteWriter& out, const Link& link) {
  out.put(link.a);
  out.put(link.b);
  out.put(static_cast<int>(link.kind));
  out.put(link.bandwidth);
  out.put(link.latency);
}

Link get_link(ByteReader& in) {
  Link link;
  link.a = in.small();
  link.b = in.small();
  link.kind = static_cast<LinkKind>(in.small());
  link.bandwidth = in.real();
  link.latency = in.real();
  return link;
}

void put_texts(ByteWriter& out, const std::vector<std::string>& texts) {
  out.put_all(texts, [&](const std::string& text) { out.put(text); });
}

std::vector<std::string> get_texts(ByteReader& in) {
  return in.all([&] { return in.text(); });
}

void put_numbers(ByteWriter& out, const std::vector<int>& numbers) {
  out.put_all(numbers, [&](int number) { out.put(number); });
}

std::vector<int> get_numbers(ByteReader& in) {
  return in.all([&] { return in.small(); });
}

void put(ByteWriter& out, const NvmlLink& link) {
  out.put(static_cast<int>(link.remote));
  out.put(link.remote_pci);
  out.put(link.version);
  out.put(link.megabytes_per_second);
}

NvmlLink get_nvml_link(ByteReader& in) {
  NvmlLink link;
  link.remote = static_cast<NvmlLink::Remote>(in.small());
  link.remote_pci = in.text();
  link.version = in.small();
  link.megabytes_per_second = in.small();
  return link;
}

void put(ByteWriter& out, const NvmlGpu& gpu) {
  out.put(gpu.uuid);
  out.put(gpu.pci);
  put_numbers(out, gpu.numa);
  put_numbers(out, gpu.cpus);
  out.put(gpu.pcie_generation);
  out.put(gpu.pcie_lanes);
  out.put(gpu.memory_clock_mhz);
  out.put(gpu.memory_bus_bits);
  out.put_all(gpu.links, [&](const NvmlLink& link) { put(out, link); });
  out.put(gpu.fabric);
}

NvmlGpu get_nvml_gpu(ByteReader& in) {
  NvmlGpu gpu;
  gpu.uuid = in.text();
  gpu.pci = in.text();
  gpu.numa = get_numbers(in);
  gpu.cpus = get_numbers(in);
  gpu.pcie_generation = in.small();
  gpu.pcie_lanes = in.small();
  gpu.memory_clock_mhz = in.small();
  gpu.memory_bus_bits = in.small();
  gpu.links = in.all([&] { return get_nvml_link(in); });
  gpu.fabric = in.text();
  return gpu;
}

void put(ByteWriter& out, const NvmlPair& pair) {
  out.put(pair.a);
  out.put(pair.b);
  out.put(static_cast<int>(pair.ancestor));
  out.put(static_cast<int>(pair.load_store));
  out.put(static_cast<int>(pair.nvlink));
}

NvmlPair get_nvml_pair(ByteReader& in) {
  NvmlPair pair;
  pair.a = in.text();
  pair.b = in.text();
  pair.ancestor = static_cast<NvmlPair::Ancestor>(in.small());
  pair.load_store = static_cast<Answer>(in.small());
  pair.nvlink = static_cast<Answer>(in.small());
  return pair;
}

}  // namespace

void put(ByteWriter& out, const Measurement& measurement) {
  out.put(measurement.from);
  out.put(measurement.to);
  out.put(measurement.method);
  out.put(measurement.bandwidth);
  out.put(measurement.latency);
  out.put(static_cast<int>(measurement.traffic));
  out.put(measurement.numa);
  out.put(measurement.bytes);
}

Measurement get_measurement(ByteReader& in) {
  Measurement measurement;
  measurement.from = in.small();
  measurement.to = in.small();
  measurement.method = in.text();
  measurement.bandwidth = in.real();
  measurement.latency = in.real();
  measurement.traffic = static_cast<Traffic>(in.small());
  measurement.numa = in.small();
  measurement.bytes = in.integer();
  return measurement;
}

void put(ByteWriter& out, const ExchangeRate& rate) {
  out.put(static_cast<int>(rate.path));
  out.put(static_cast<int>(rate.rows));
  out.put(static_cast<int>(rate.beside));
  out.put(rate.word_bytes);
  out.put(rate.bandwidth);
  out.put(rate.latency);
  out.put(rate.least);
}

ExchangeRate get_exchange_rate(ByteReader& in) {
  ExchangeRate rate;
  rate.path = static_cast<HaloPath>(in.small());
  rate.rows = static_cast<HaloRows>(in.small());
  rate.beside = in.small() != 0;
  rate.word_bytes = in.small();
  rate.bandwidth = in.real();
  rate.latency = in.real();
  rate.least = in.real();
  return rate;
}

void put(ByteWriter& out, const NodeType& type) {
  out.put(type.name);
  out.put_all(type.vertices, [&](const Vertex& vertex) { put(out, vertex); });
  out.put_all(type.links, [&](const Link& link) { put(out, link); });
  out.put_all(type.measurements, [&](const Measurement& measurement) { put(out, measurement); });
  out.put_all(type.exchange_rates, [&](const ExchangeRate& rate) { put(out, rate); });
}

NodeType get_node_type(ByteReader& in) {
  NodeType type;
  type.name = in.text();
  type.vertices = in.all([&] { return get_vertex(in); });
  type.links = in.all([&] { return get_link(in); });
  type.measurements = in.all([&] { return get_measurement(in); });
  type.exchange_rates = in.all([&] { return get_exchange_rate(in); });
  return type;
}

void put(ByteWriter& out, const DeviceProbe& device) {
  out.put(static_cast<int>(device.kind));
  out.put(device.name);
  out.put(device.uuid);
  out.put(device.memory_bytes);
  out.put(device.numa);
  put_texts(out, device.no_access);
  put_texts(out, device.access);
}

DeviceProbe get_device_probe(ByteReader& in) {
  DeviceProbe device;
  device.kind = static_cast<DeviceKind>(in.small());
  device.name = in.text();
  device.uuid = in.text();
  device.memory_bytes = in.integer();
  device.numa = in.small();
  device.no_access = get_texts(in);
  device.access = get_texts(in);
  return device;
}

void put(ByteWriter& out, const NvmlReport& report) {
  out.put_all(report.gpus, [&](const NvmlGpu& gpu) { put(out, gpu); });
  out.put_all(report.pairs, [&](const NvmlPair& pair) { put(out, pair); });
  out.put(report.driver);
  out.put(report.why_not);
}

NvmlReport get_nvml_report(ByteReader& in) {
  NvmlReport report;
  report.gpus = in.all([&] { return get_nvml_gpu(in); });
  report.pairs = in.all([&] { return get_nvml_pair(in); });
  report.driver = in.text();
  report.why_not = in.text();
  return report;
}

std::vector<std::byte> to_bytes(const MachineMap& map) {
  ByteWriter out;
  out.put(map.name);
  out.put_all(map.types, [&](const NodeType& type) { put(out, type); });
  out.put_all(map.nodes, [&](const NodeEntry& node) {
    out.put(node.name);
    out.put(node.type);
    put_texts(out, node.device_uuids);
    out.put(node.rack);
  });
  out.put_all(map.ranks, [&](const RankEntry& rank) {
    out.put(rank.node.value());
    out.put_all(rank.devices, [&](device_id device) { out.put(device.value()); });
  });
  put(out, map.network);
  put(out, map.software);
  put_texts(out, map.sources);
  return out.take();
}

MachineMap map_from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  MachineMap map;
  map.name = in.text();
  map.types = in.all([&] { return get_node_type(in); });
  map.nodes = in.all([&] {
    NodeEntry node;
    node.name = in.text();
    node.type = in.small();
    node.device_uuids = get_texts(in);
    node.rack = in.small();
    return node;
  });
  map.ranks = in.all([&] {
    RankEntry rank;
    rank.node = node_id(in.integer());
    rank.devices = in.all([&] { return device_id(in.integer()); });
    return rank;
  });
  map.network = get_network(in);
  map.software = get_software(in);
  map.sources = get_texts(in);
  if (!in.at_end()) {
    throw InternalError("a machine message has bytes left over: ranks of different builds in one job?");
  }
  return map;
}

}  // namespace halocline::machine
