// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "core/checked.hpp"
#include "core/limits.hpp"
#include "core/posix_file.hpp"
#include "halocline/error.hpp"
#include "io/json.hpp"
#include "io/json_cursor.hpp"
#include "machine/names.hpp"

namespace halocline::io {
namespace {

using namespace halocline::machine;

/// Names are checked here, because one entry of "nodes" is repeated up to limits::nodes times.
std::string read_name(const JsonCursor& json) {
  std::string name = json.text();
  if (std::cmp_greater(name.size(), limits::name_bytes)) {
    json.refuse(fmt::format("a text of at most {} bytes", limits::name_bytes));
  }
  return name;
}

template <typename Kind, std::size_t N>
Kind read_kind(const JsonCursor& json, const std::array<Kind, N>& kinds) {
  const std::string name = json.text();
  std::string allowed;
  for (const Kind kind : kinds) {
    if (to_string(kind) == name) return kind;
    allowed += fmt::format("{}{}", allowed.empty() ? "one of " : ", ", to_string(kind));
  }
  json.refuse(allowed);
}

double read_bandwidth(const JsonCursor& json) {
  const double value = json.number();
  if (value <= 0 || value > limits::bandwidth) {
    json.refuse(fmt::format("a finite number above 0, at most {}", limits::bandwidth));
  }
  return value;
}

double read_latency(const JsonCursor& json) {
  const double value = json.number();
  if (value < 0 || value > limits::latency) {
    json.refuse(fmt::format("a finite number, 0 or more, at most {}", limits::latency));
  }
  return value;
}

Vertex read_vertex(const JsonCursor& json) {
  json.keys({"kind", "name", "memory_bytes", "cores", "load_store_domain"});
  Vertex vertex;
  vertex.kind = read_kind(json.at("kind"), all_vertex_kinds);
  vertex.name = json.at("name").text();
  if (const auto memory = json.find("memory_bytes")) {
    vertex.memory_bytes = memory->integer(0, std::numeric_limits<std::int64_t>::max());
  }
  if (const auto cores = json.find("cores")) vertex.cores = cores->small(0);
  if (const auto domain = json.find("load_store_domain")) vertex.load_store_domain = domain->small(-1);
  return vertex;
}

Link read_link(const JsonCursor& json) {
  json.keys({"a", "b", "kind", "bandwidth", "latency"});
  return {json.at("a").small(0), json.at("b").small(0), read_kind(json.at("kind"), all_link_kinds),
          read_bandwidth(json.at("bandwidth")), read_latency(json.at("latency"))};
}

/// A device's number, or "host".
int read_end(const JsonCursor& json) {
  if (!json.is_text()) return json.small(0);
  if (json.text() != "host") json.refuse("a device's number, or \"host\"");
  return Measurement::host;
}

Measurement read_measurement(const JsonCursor& json) {
  json.keys({"from", "to", "method", "traffic", "numa", "bytes", "bandwidth", "latency"});
  Measurement measurement;
  measurement.from = read_end(json.at("from"));
  measurement.to = read_end(json.at("to"));
  measurement.method = json.at("method").text();
  if (const auto traffic = json.find("traffic")) measurement.traffic = read_kind(*traffic, all_traffic);
  if (const auto numa = json.find("numa")) measurement.numa = numa->small(0);
  if (const auto bytes = json.find("bytes")) {
    measurement.bytes = bytes->integer(0, std::numeric_limits<std::int64_t>::max());
  }
  measurement.bandwidth = read_bandwidth(json.at("bandwidth"));
  measurement.latency = read_latency(json.at("latency"));
  return measurement;
}

ExchangeRate read_exchange_rate(const JsonCursor& json) {
  json.keys({"path", "rows", "concurrent", "beside", "word_bytes", "bandwidth", "latency", "least"});
  ExchangeRate rate;
  rate.path = read_kind(json.at("path"), all_halo_paths);
  rate.rows = read_kind(json.at("rows"), all_halo_rows);
  const auto concurrent = json.find("concurrent");
  const auto beside = json.find("beside");  // the name in maps of version 0.1
  if (concurrent && beside) beside->refuse("nothing where there is \"concurrent\", its name of today");
  if (concurrent || beside) rate.concurrent = (concurrent ? concurrent : beside)->flag();
  rate.word_bytes = json.at("word_bytes").small(1, 16);
  rate.bandwidth = read_bandwidth(json.at("bandwidth"));
  rate.latency = read_latency(json.at("latency"));
  rate.least = read_latency(json.at("least"));
  return rate;
}

template <typename Read>
auto read_all(const JsonCursor& json, Read&& read) {
  std::vector<decltype(read(json))> all;
  for (const JsonCursor& item : json.items()) all.push_back(read(item));
  return all;
}

NodeType read_type(const JsonCursor& json) {
  json.keys({"name", "vertices", "links", "measurements", "exchange_rates"});
  NodeType type;
  type.name = json.at("name").text();
  type.vertices = read_all(json.at("vertices"), read_vertex);
  type.links = read_all(json.at("links"), read_link);
  if (const auto measurements = json.find("measurements"))
    type.measurements = read_all(*measurements, read_measurement);
  if (const auto rates = json.find("exchange_rates")) type.exchange_rates = read_all(*rates, read_exchange_rate);
  return type;
}

/// One entry of "nodes" can stand for many nodes. MachineMap::check() reports errors by the number of a node, so the
/// same conditions are checked here, to report them by entry.
/// names: of all nodes so far.
void read_nodes(const JsonCursor& json, MachineMap& map, std::unordered_set<std::string>& names) {
  json.keys({"name", "type", "count", "rack", "port", "device_uuids"});
  NodeEntry node;
  node.name = read_name(json.at("name"));
  if (map.types.empty()) json.at("type").refuse("nothing, because there are no types");
  node.type = json.at("type").small(0, static_cast<int>(map.types.size()) - 1);
  if (const auto rack = json.find("rack")) node.rack = rack->small(-1);
  if (const auto port = json.find("port")) node.port = port->small(-1);
  const auto count = json.find("count");
  if (const auto uuids = json.find("device_uuids")) {
    node.device_uuids = uuids->texts();
    const auto devices = static_cast<std::size_t>(map.types[static_cast<std::size_t>(node.type)].device_count());
    if (count) uuids->refuse("nothing beside a count");
    if (!node.device_uuids.empty() && node.device_uuids.size() != devices) {
      uuids->refuse(fmt::format("none, or one for each of the {} devices", devices));
    }
  }
  const auto add = [&](NodeEntry entry) {
    if (!names.insert(entry.name).second) {
      throw InvalidArgument(fmt::format("{} is '{}', as another node's is; allowed is a name of its own",
                                        json.at("name").path(), entry.name));
    }
    map.nodes.push_back(std::move(entry));
  };
  if (!count) {
    add(std::move(node));
    return;
  }
  const std::int64_t number = count->integer(1, std::max<std::int64_t>(1, limits::nodes - std::ssize(map.nodes)));
  for (std::int64_t n = 0; n < number; ++n) {
    NodeEntry one = node;
    if (node.port >= 0) one.port = checked_cast<int>(node.port + n, "a port");
    one.name = fmt::format("{}-{}", node.name, n);
    add(std::move(one));
  }
}

int read_count(const JsonCursor& json) { return json.small(1); }

LinkRate read_link_rate(const JsonCursor& json) {
  return {read_bandwidth(json.at("bandwidth")), read_latency(json.at("latency"))};
}

FatTree read_fat_tree(const JsonCursor& json) {
  json.keys({"shape", "rails", "levels"});
  return {read_all(json.at("levels"), [](const JsonCursor& level) {
    level.keys({"children", "bandwidth", "latency"});
    return FatTreeLevel{read_count(level.at("children")), read_link_rate(level)};
  })};
}

Dragonfly read_dragonfly(const JsonCursor& json) {
  json.keys({"shape", "rails", "nodes_per_router", "routers_per_group", "groups", "links_per_pair", "local", "global"});
  for (const char* link : {"local", "global"}) json.at(link).keys({"bandwidth", "latency"});
  Dragonfly dragonfly;
  dragonfly.nodes_per_router = read_count(json.at("nodes_per_router"));
  dragonfly.routers_per_group = read_count(json.at("routers_per_group"));
  dragonfly.groups = read_count(json.at("groups"));
  if (const auto links = json.find("links_per_pair")) dragonfly.links_per_pair = read_count(*links);
  dragonfly.local = read_link_rate(json.at("local"));
  dragonfly.global = read_link_rate(json.at("global"));
  return dragonfly;
}

Torus read_torus(const JsonCursor& json) {
  json.keys({"shape", "rails", "nodes_per_router", "dimensions"});
  Torus torus;
  if (const auto nodes = json.find("nodes_per_router")) torus.nodes_per_router = read_count(*nodes);
  torus.dimensions = read_all(json.at("dimensions"), [](const JsonCursor& dimension) {
    dimension.keys({"length", "bandwidth", "latency"});
    return TorusDimension{read_count(dimension.at("length")), read_link_rate(dimension)};
  });
  return torus;
}

Fabric::Shape read_shape(const JsonCursor& json) {
  const std::string name = json.at("shape").text();
  if (name == name_of(FatTree{})) return read_fat_tree(json);
  if (name == name_of(Dragonfly{})) return read_dragonfly(json);
  if (name == name_of(Torus{})) return read_torus(json);
  if (name != name_of(Crossbar{})) json.at("shape").refuse("one of crossbar, fat_tree, dragonfly, torus");
  json.keys({"shape", "rails"});
  return Crossbar{};
}

Network read_network(const JsonCursor& json) {
  json.keys({"bandwidth", "latency", "fabric"});
  Network network{read_bandwidth(json.at("bandwidth")), read_latency(json.at("latency")), {}};
  if (const auto fabric = json.find("fabric")) {
    network.fabric.shape = read_shape(*fabric);
    if (const auto rails = fabric->find("rails")) network.fabric.rails = read_count(*rails);
  }
  return network;
}

Software read_software(const JsonCursor& json) {
  json.keys({"mpi_copy", "mpi_injection", "mpi_latency", "mpi_device_latency", "mpi_overhead", "device_launch",
             "one_core", "mpi_serialises_streams", "serial_copies"});
  Software software;
  if (const auto rate = json.find("mpi_copy")) software.mpi_copy = read_bandwidth(*rate);
  if (const auto rate = json.find("mpi_injection")) software.mpi_injection = read_bandwidth(*rate);
  if (const auto seconds = json.find("mpi_latency")) software.mpi_latency = read_latency(*seconds);
  if (const auto seconds = json.find("mpi_device_latency")) software.mpi_device_latency = read_latency(*seconds);
  if (const auto seconds = json.find("mpi_overhead")) software.mpi_overhead = read_latency(*seconds);
  if (const auto seconds = json.find("device_launch")) software.device_launch = read_latency(*seconds);
  if (const auto flag = json.find("one_core")) software.one_core = flag->flag();
  if (const auto flag = json.find("mpi_serialises_streams")) software.mpi_serialises_streams = flag->flag();
  if (const auto flag = json.find("serial_copies")) software.serial_copies = flag->flag();
  return software;
}

RankEntry read_rank(const JsonCursor& json) {
  json.keys({"node", "devices"});
  RankEntry rank{node_id(json.at("node").integer(0)), {}};
  for (const JsonCursor& device : json.at("devices").items()) rank.devices.emplace_back(device.integer(0));
  return rank;
}

}  // namespace

MachineMap machine_from_json(std::string_view text) {
  const Json document = parse_document(text);
  const JsonCursor json(document);
  // The schema is checked first: in a document of another version, unknown keys are not the actual problem.
  if (json.at("schema").text() != machine_schema) json.at("schema").refuse(fmt::format("\"{}\"", machine_schema));
  json.keys({"schema", "name", "sources", "types", "nodes", "network", "software", "ranks"});
  MachineMap map;
  map.name = json.at("name").text();
  if (const auto sources = json.find("sources")) map.sources = sources->texts();
  map.types = read_all(json.at("types"), read_type);
  std::unordered_set<std::string> names;
  for (const JsonCursor& nodes : json.at("nodes").items()) read_nodes(nodes, map, names);
  map.network = read_network(json.at("network"));
  if (const auto software = json.find("software")) map.software = read_software(*software);
  if (const auto ranks = json.find("ranks")) map.ranks = read_all(*ranks, read_rank);
  map.check();
  return map;
}

namespace {

/// Reads a whole file. Throws ResourceError if it cannot be read, InvalidArgument if it is too large.
std::string read_text(const std::filesystem::path& path) {
  try {
    return read_file(path.string(), static_cast<std::size_t>(limits::file_bytes));
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::file_too_large) {
      throw InvalidArgument(fmt::format("machine file '{}' is larger than {} bytes; allowed is at most that",
                                        path.string(), limits::file_bytes));
    }
    throw ResourceError(fmt::format("machine file '{}' cannot be read: {}", path.string(), error.code().message()));
  }
}

}  // namespace

MachineMap read_machine_file(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    return machine_from_json(text);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("machine file '{}': {}", path.string(), error.what()));
  }
}

}  // namespace halocline::io
