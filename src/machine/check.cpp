// SPDX-License-Identifier: BSD-3-Clause
#include <set>
#include <tuple>

#include "machine/detail/checks.hpp"
#include "machine/names.hpp"
#include "machine/paths.hpp"

namespace halocline::machine {
namespace {

void check_index(const std::string& path, std::int64_t index, std::size_t size, const char* of_what) {
  if (size == 0) refuse(path, index, fmt::format("nothing, there are no {}", of_what));
  if (index < 0 || static_cast<std::size_t>(index) >= size) {
    refuse(path, index, fmt::format("0 to {} ({} {})", size - 1, size, of_what));
  }
}

void check_vertex(const std::string& path, const Vertex& vertex) {
  check_name(path + ".name", vertex.name);
  if (vertex.memory_bytes < 0) refuse(path + ".memory_bytes", vertex.memory_bytes, "0 or more");
  if (vertex.cores < 0 || vertex.cores > limits::cores_of_node) {
    refuse(path + ".cores", vertex.cores, fmt::format("0 to {}", limits::cores_of_node));
  }
  const bool is_device = vertex.kind == VertexKind::device;
  if (vertex.load_store_domain < -1 || (!is_device && vertex.load_store_domain != -1)) {
    refuse(path + ".load_store_domain", vertex.load_store_domain,
           is_device ? "-1 or more" : "-1 where it is no device");
  }
}

void check_links(const std::string& path, const NodeType& type) {
  for (std::size_t i = 0; i < type.links.size(); ++i) {
    const Link& link = type.links[i];
    const std::string at = fmt::format("{}.links[{}]", path, i);
    check_index(at + ".a", link.a, type.vertices.size(), "vertices");
    check_index(at + ".b", link.b, type.vertices.size(), "vertices");
    check_rates(at, link.bandwidth, link.latency);
    const bool memory_of_device =
        link.kind == LinkKind::memory && type.vertices[static_cast<std::size_t>(link.a)].kind == VertexKind::device;
    if (link.a == link.b && !memory_of_device) {
      refuse(at + ".b", link.b, "another vertex than a, but for a device's memory link");
    }
  }
}

void check_measurements(const std::string& path, const NodeType& type) {
  const auto devices = static_cast<std::size_t>(type.device_count());
  std::set<std::tuple<int, int, std::string, Traffic, int>> seen;
  for (std::size_t i = 0; i < type.measurements.size(); ++i) {
    const Measurement& m = type.measurements[i];
    const std::string at = fmt::format("{}.measurements[{}]", path, i);
    const bool host = m.from == Measurement::host || m.to == Measurement::host;
    if (m.from != Measurement::host) check_index(at + ".from", m.from, devices, "devices");
    if (m.to != Measurement::host || m.from == Measurement::host) check_index(at + ".to", m.to, devices, "devices");
    check_rates(at, m.bandwidth, m.latency);
    if (m.method.empty()) refuse(at + ".method", "''", "the name of a method, such as 'copy'");
    check_name(at + ".method", m.method);
    if (m.bytes < 0) refuse(at + ".bytes", m.bytes, "0 or more");
    if (m.numa != -1) {
      if (!host) refuse(at + ".numa", m.numa, "none where neither end is the host");
      check_index(at + ".numa", m.numa, type.vertices.size(), "vertices");
      if (type.vertices[static_cast<std::size_t>(m.numa)].kind != VertexKind::numa) {
        refuse(at + ".numa", m.numa, "the vertex of a NUMA node");
      }
    }
    if (!seen.emplace(m.from, m.to, m.method, m.traffic, m.numa).second) {
      refuse(at, fmt::format("a second one of '{}' from {} to {}", m.method, m.from, m.to), "one");
    }
  }
}

void check_exchange_rates(const std::string& path, const NodeType& type) {
  std::set<std::tuple<HaloPath, HaloRows, bool, int>> seen;
  for (std::size_t i = 0; i < type.exchange_rates.size(); ++i) {
    const ExchangeRate& rate = type.exchange_rates[i];
    const std::string at = fmt::format("{}.exchange_rates[{}]", path, i);
    if (rate.path == HaloPath::local && (rate.rows == HaloRows::packed_rows || rate.rows == HaloRows::packets)) {
      refuse(at + ".rows", to_string(rate.rows), "long or short where the path is local");
    }
    const int word = rate.word_bytes;
    if (word != 1 && word != 2 && word != 4 && word != 8 && word != 16) {
      refuse(at + ".word_bytes", word, "1, 2, 4, 8 or 16");
    }
    check_rates(at, rate.bandwidth, rate.latency);
    check_from_0(at + ".least", rate.least, limits::latency);
    if (!seen.emplace(rate.path, rate.rows, rate.concurrent, word).second) {
      refuse(at, fmt::format("a second one of {}, {} rows", to_string(rate.path), to_string(rate.rows)),
             "one for each path, rows, beside and word_bytes");
    }
  }
}

/// Runs before anything whose cost grows with these numbers.
void check_counts(const std::string& path, const NodeType& type) {
  check_name(path + ".name", type.name);
  check_at_most(path + ".vertices", type.vertices.size(), "entries", limits::vertices_of_node);
  check_at_most(path + ".links", type.links.size(), "entries", limits::links_of_node);
  check_at_most(path + ".vertices", type.device_count(), "devices", limits::devices_of_node);
}

void check_type(const std::string& path, const NodeType& type) {
  check_counts(path, type);
  for (std::size_t v = 0; v < type.vertices.size(); ++v) {
    check_vertex(fmt::format("{}.vertices[{}]", path, v), type.vertices[v]);
  }
  check_links(path, type);
  check_measurements(path, type);
  check_exchange_rates(path, type);
  const auto devices = static_cast<std::size_t>(type.device_count());
  const std::vector<Path> paths = best_paths(type);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].bandwidth == 0) {
      throw InvalidArgument(
          fmt::format("{}.links leave device {} without a path to device {}; allowed are nodes "
                      "whose devices are all connected (not through other devices)",
                      path, i / devices, i % devices));
    }
  }
}

void check_node(const MachineMap& map, std::size_t n) {
  const NodeEntry& node = map.nodes[n];
  const std::string at = fmt::format("nodes[{}]", n);
  check_name(at + ".name", node.name);
  check_index(at + ".type", node.type, map.types.size(), "types");
  const auto devices = static_cast<std::size_t>(map.types[static_cast<std::size_t>(node.type)].device_count());
  if (!node.device_uuids.empty() && node.device_uuids.size() != devices) {
    refuse(at + ".device_uuids", fmt::format("{} entries", node.device_uuids.size()),
           fmt::format("none, or one for each of the {} devices", devices));
  }
  std::set<std::string> seen;
  for (std::size_t d = 0; d < node.device_uuids.size(); ++d) {
    check_name(fmt::format("{}.device_uuids[{}]", at, d), node.device_uuids[d]);
    if (!node.device_uuids[d].empty() && !seen.insert(node.device_uuids[d]).second) {
      refuse(fmt::format("{}.device_uuids[{}]", at, d), "'" + node.device_uuids[d] + "'", "a uuid of its own");
    }
  }
  if (node.rack < -1) refuse(at + ".rack", node.rack, "-1 or more");
}

/// Checks all nodes; their types have been checked.
void check_totals(const MachineMap& map) {
  struct Parts {
    std::int64_t devices = 0;
    std::int64_t cores = 0;
  };
  std::vector<Parts> of_type;
  for (const NodeType& type : map.types) {
    const Parts& parts = of_type.emplace_back(Parts{type.device_count(), type.core_count()});
    const auto t = of_type.size() - 1;
    check_at_most(fmt::format("types[{}].vertices", t), parts.cores, "cores", limits::cores_of_node);
  }
  Parts all;
  for (const NodeEntry& node : map.nodes) {
    const Parts& parts = of_type[static_cast<std::size_t>(node.type)];
    all.devices += parts.devices;
    all.cores += parts.cores;
  }
  check_at_most("nodes", all.devices, "devices in all", limits::devices);
  check_at_most("nodes", all.cores, "cores in all", limits::cores);
}

void check_rank(const MachineMap& map, const std::vector<std::size_t>& devices_of_type, std::size_t r) {
  const RankEntry& rank = map.ranks[r];
  const std::string at = fmt::format("ranks[{}]", r);
  check_index(at + ".node", rank.node.value(), map.nodes.size(), "nodes");
  const std::size_t devices = devices_of_type[static_cast<std::size_t>(map.nodes[rank.node.index()].type)];
  std::set<device_id> seen;
  for (std::size_t d = 0; d < rank.devices.size(); ++d) {
    const std::string entry = fmt::format("{}.devices[{}]", at, d);
    check_index(entry, rank.devices[d].value(), devices, "devices");
    if (!seen.insert(rank.devices[d]).second) refuse(entry, rank.devices[d].value(), "each device once");
  }
}

}  // namespace

void MachineMap::check() const {
  check_name("name", name);
  check_at_most("types", types.size(), "entries", limits::node_types);
  check_at_most("nodes", nodes.size(), "entries", limits::nodes);
  check_at_most("ranks", ranks.size(), "entries", limits::ranks);
  std::vector<std::size_t> devices_of_type;
  for (std::size_t t = 0; t < types.size(); ++t) {
    check_type(fmt::format("types[{}]", t), types[t]);
    devices_of_type.push_back(static_cast<std::size_t>(types[t].device_count()));
  }
  if (nodes.empty()) throw InvalidArgument("nodes is empty; allowed is one node or more");
  for (std::size_t n = 0; n < nodes.size(); ++n) check_node(*this, n);
  check_totals(*this);
  for (std::size_t r = 0; r < ranks.size(); ++r) check_rank(*this, devices_of_type, r);
  check_network(*this);
  check_software(software);
  for (std::size_t s = 0; s < sources.size(); ++s) check_text(fmt::format("sources[{}]", s), sources[s]);
}

}  // namespace halocline::machine
