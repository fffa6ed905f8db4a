// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "io/detail/pretty.hpp"
#include "io/json.hpp"
#include "io/machine_document.hpp"
#include "machine/names.hpp"

namespace halocline::io {
namespace {

using namespace halocline::machine;

Json json_of(const Vertex& vertex) {
  Json json;
  json["kind"] = to_string(vertex.kind);
  json["name"] = vertex.name;
  // Values that do not apply are omitted.
  if (vertex.memory_bytes != 0) json["memory_bytes"] = vertex.memory_bytes;
  if (vertex.cores != 0) json["cores"] = vertex.cores;
  if (vertex.load_store_domain != -1) json["load_store_domain"] = vertex.load_store_domain;
  return json;
}

Json json_of(const Link& link) {
  Json json;
  json["a"] = link.a;
  json["b"] = link.b;
  json["kind"] = to_string(link.kind);
  json["bandwidth"] = link.bandwidth;
  json["latency"] = link.latency;
  return json;
}

Json json_of(const Measurement& measurement) {
  const auto end = [](int device) { return device == Measurement::host ? Json("host") : Json(device); };
  Json json;
  json["from"] = end(measurement.from);
  json["to"] = end(measurement.to);
  json["method"] = measurement.method;
  if (measurement.traffic != Traffic::one_way) json["traffic"] = to_string(measurement.traffic);
  if (measurement.numa != -1) json["numa"] = measurement.numa;
  if (measurement.bytes != 0) json["bytes"] = measurement.bytes;
  json["bandwidth"] = measurement.bandwidth;
  json["latency"] = measurement.latency;
  return json;
}

Json json_of(const ExchangeRate& rate) {
  Json json;
  json["path"] = to_string(rate.path);
  json["rows"] = to_string(rate.rows);
  if (rate.concurrent) json["concurrent"] = true;
  json["word_bytes"] = rate.word_bytes;
  json["bandwidth"] = rate.bandwidth;
  json["latency"] = rate.latency;
  json["least"] = rate.least;
  return json;
}

Json json_of(const NodeType& type);
Json json_of(const RankEntry& rank);

template <typename Items>
Json array_of(const Items& items) {
  Json json = Json::array();
  for (const auto& item : items) json.push_back(json_of(item));
  return json;
}

Json json_of(const NodeType& type) {
  Json json;
  json["name"] = type.name;
  json["vertices"] = array_of(type.vertices);
  json["links"] = array_of(type.links);
  if (!type.measurements.empty()) json["measurements"] = array_of(type.measurements);
  if (!type.exchange_rates.empty()) json["exchange_rates"] = array_of(type.exchange_rates);
  return json;
}

Json json_of(const RankEntry& rank) {
  Json json;
  json["node"] = rank.node.value();
  json["devices"] = Json::array();
  for (const device_id device : rank.devices) json["devices"].push_back(device.value());
  return json;
}

Json json_of(const LinkRate& rate) { return {{"bandwidth", rate.bandwidth}, {"latency", rate.latency}}; }

void add_shape(Json&, const Crossbar&) {}

void add_shape(Json& json, const FatTree& tree) {
  json["levels"] = Json::array();
  for (const FatTreeLevel& level : tree.levels) {
    Json one = {{"children", level.children}};
    one.update(json_of(level.uplinks));
    json["levels"].push_back(std::move(one));
  }
}

void add_shape(Json& json, const Dragonfly& dragonfly) {
  json["nodes_per_router"] = dragonfly.nodes_per_router;
  json["routers_per_group"] = dragonfly.routers_per_group;
  json["groups"] = dragonfly.groups;
  if (dragonfly.links_per_pair != 1) json["links_per_pair"] = dragonfly.links_per_pair;
  json["local"] = json_of(dragonfly.local);
  json["global"] = json_of(dragonfly.global);
}

void add_shape(Json& json, const Torus& torus) {
  if (torus.nodes_per_router != 1) json["nodes_per_router"] = torus.nodes_per_router;
  json["dimensions"] = Json::array();
  for (const TorusDimension& dimension : torus.dimensions) {
    Json one = {{"length", dimension.length}};
    one.update(json_of(dimension.link));
    json["dimensions"].push_back(std::move(one));
  }
}

Json json_of(const Network& network) {
  Json json = {{"bandwidth", network.bandwidth}, {"latency", network.latency}};
  if (network.fabric == Fabric{}) return json;
  Json& fabric = json["fabric"];
  fabric["shape"] = name_of(network.fabric.shape);
  if (network.fabric.rails != 1) fabric["rails"] = network.fabric.rails;
  std::visit([&](const auto& shape) { add_shape(fabric, shape); }, network.fabric.shape);
  return json;
}

Json json_of(const Software& software) {
  Json json;
  // Values that limit nothing are omitted.
  const auto put = [&json](const char* name, const auto& value) {
    if (value != 0) json[name] = value;
  };
  put("mpi_copy", software.mpi_copy);
  put("mpi_injection", software.mpi_injection);
  put("mpi_latency", software.mpi_latency);
  put("mpi_device_latency", software.mpi_device_latency);
  put("mpi_overhead", software.mpi_overhead);
  put("device_launch", software.device_launch);
  put("one_core", software.one_core);
  put("mpi_serialises_streams", software.mpi_serialises_streams);
  put("serial_copies", software.serial_copies);
  return json;
}

/// Returns how many nodes from `first` on are named "name-0", "name-1", ... and are otherwise equal; 0 if the first is
/// not.
std::size_t run_length(const std::vector<NodeEntry>& nodes, std::size_t first, const std::string& name) {
  std::size_t count = 0;
  for (; first + count < nodes.size(); ++count) {
    const NodeEntry& node = nodes[first + count];
    if (node.name != fmt::format("{}-{}", name, count) || node.type != nodes[first].type ||
        node.rack != nodes[first].rack || !node.device_uuids.empty() ||
        node.port != (nodes[first].port < 0 ? -1 : nodes[first].port + static_cast<int>(count))) {
      break;
    }
  }
  return count;
}

Json json_of_nodes(const std::vector<NodeEntry>& nodes) {
  Json json = Json::array();
  for (std::size_t n = 0; n < nodes.size();) {
    const NodeEntry& node = nodes[n];
    const std::string prefix = node.name.ends_with("-0") ? node.name.substr(0, node.name.size() - 2) : "";
    const std::size_t count = prefix.empty() ? 0 : run_length(nodes, n, prefix);
    Json one;
    one["name"] = count > 1 ? prefix : node.name;
    one["type"] = node.type;
    if (count > 1) one["count"] = count;
    if (node.rack != -1) one["rack"] = node.rack;
    if (node.port != -1) one["port"] = node.port;
    if (!node.device_uuids.empty()) one["device_uuids"] = node.device_uuids;
    json.push_back(std::move(one));
    n += count > 1 ? count : 1;
  }
  return json;
}

}  // namespace

Json document_of(const MachineMap& map) {
  map.check();
  Json json;
  json["schema"] = machine_schema;
  json["name"] = map.name;
  if (!map.sources.empty()) json["sources"] = map.sources;
  json["types"] = array_of(map.types);
  json["nodes"] = json_of_nodes(map.nodes);
  json["network"] = json_of(map.network);
  if (!(map.software == Software{})) json["software"] = json_of(map.software);
  if (!map.ranks.empty()) json["ranks"] = array_of(map.ranks);
  return json;
}

std::string to_json(const MachineMap& map) { return pretty(document_of(map)); }

}  // namespace halocline::io
