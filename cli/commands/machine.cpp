// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/calibrate.hpp"
#include "calibrate/messages.hpp"
#include "commands/commands.hpp"
#include "core/log.hpp"
#include "discovery/discover.hpp"
#include "fabric_text.hpp"
#include "halocline/environment.hpp"
#include "io/json.hpp"
#include "machine/names.hpp"
#include "measure/measure.hpp"
#include "measured.hpp"
#include "network_option.hpp"
#include "outputs.hpp"
#include "pictures/machine_picture.hpp"
#include "planning.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

/// What a node of each kind holds, and how its devices are connected.
std::string types_text(const machine::MachineMap& map) {
  std::string text;
  for (std::size_t t = 0; t < map.types.size(); ++t) {
    const auto& type = map.types[t];
    std::int64_t nodes = 0;
    for (const auto& node : map.nodes) nodes += node.type == static_cast<int>(t) ? 1 : 0;
    text += fmt::format("\nnode type '{}': {}\n", type.name, plural(nodes, "node"));
    Table vertices({"vertex", "kind", "name", "memory", "cores"});
    for (std::size_t v = 0; v < type.vertices.size(); ++v) {
      const auto& vertex = type.vertices[v];
      vertices.row({fmt::format("{}", v), std::string(machine::to_string(vertex.kind)), vertex.name,
                    vertex.memory_bytes == 0 ? Cell("-") : bytes_cell(vertex.memory_bytes),
                    vertex.cores == 0 ? "-" : fmt::format("{}", vertex.cores)});
    }
    vertices.limit(64);
    text += vertices.text();
    if (type.links.empty()) continue;
    Table links({"link", "kind", "between", "bandwidth", "latency"});
    for (std::size_t l = 0; l < type.links.size(); ++l) {
      const auto& link = type.links[l];
      links.row({fmt::format("{}", l), std::string(machine::to_string(link.kind)),
                 fmt::format("{} - {}", link.a, link.b), rate_cell(link.bandwidth), seconds_cell(link.latency)});
    }
    links.limit(64);
    text += "\n" + links.text();
  }
  return text;
}

/// A line for each rack; empty where there is none.
std::string racks_text(const machine::MachineMap& map) {
  std::map<int, std::vector<std::size_t>> racks;
  for (std::size_t n = 0; n < map.nodes.size(); ++n) {
    if (map.nodes[n].rack >= 0) racks[map.nodes[n].rack].push_back(n);
  }
  std::string text;
  for (const auto& [rack, nodes] : racks) {
    constexpr std::size_t most = 8;
    const std::size_t named = std::min(nodes.size(), most);
    text += fmt::format("rack {}: nodes {}{}, joined by load/store links\n", rack,
                        fmt::join(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                        nodes.size() > named ? fmt::format(" and {} more", nodes.size() - named) : "");
  }
  return text;
}

std::string ranks_text(const machine::MachineMap& map) {
  if (map.ranks.empty()) return {};
  Table ranks({"rank", "node", "devices"});
  for (std::size_t r = 0; r < map.ranks.size(); ++r) {
    std::string devices;
    for (const auto device : map.ranks[r].devices) {
      devices += fmt::format("{}{}", devices.empty() ? "" : " ", device.value());
    }
    ranks.row({fmt::format("{}", r), fmt::format("{}", map.ranks[r].node.value()), devices});
  }
  ranks.limit(64);
  return "\n" + ranks.text();
}

constexpr std::size_t most_warnings = 16;

struct MeasureOptions {
  std::optional<std::string> picture;
  bool measure = false;
  std::int64_t bytes = 0;
  std::optional<double> seconds;
  std::optional<std::string> node_pairs;
  [[nodiscard]] machine::MeasureRequest request() const {
    machine::MeasureRequest request;
    request.bytes = bytes;
    if (seconds) request.seconds = *seconds;
    return request;
  }
};

/// The machine at hand, with all its rates tried. Collective.
machine::Measured measured_machine(Context& context, const MeasureOptions& wanted) {
  if (context.options.elsewhere()) {
    refuse_together("--measure", "--machine or --nodes: only the machine at hand can be measured");
  }
  const machine::MeasureRequest request = wanted.request();
  const auto node = context.world.split_by_node(context.options.ranks_per_node);
  machine::Measured measured;
  try {
    const auto backend = backend_of(context, *node);
    const auto map = machine::discover(context.world, *node, *backend, halocline::Environment::read().virtual_rack);
    measured = machine::measure(context.world, *node, *backend, map, request);
    // What exchanges move is a quarter of what pairs are measured with, and there are more kinds of them.
    measured.map = calibrate(
        context.world, *node, backend, measured.map,
        {.bytes = std::max<std::int64_t>(request.bytes / 4, wanted.bytes == 0 ? 0 : 1024), .seconds = request.seconds});
    measured.map = calibrate_messages(context.world, backend, std::move(measured.map), {.seconds = request.seconds});
  } catch (const Error&) {
    node->close();  // all ranks throw the same
    throw;
  }
  node->close();
  return measured;
}

/// The map with a network inferred from measured pairs of nodes, which a file receives. Collective.
machine::MachineMap with_measured_pairs(Context& context, const machine::MachineMap& map,
                                        const MeasureOptions& wanted) {
  std::string csv = "from,to,latency_us,bandwidth_gbytes\n";
  for (const auto& pair : machine::measure_node_pairs(context.world, map, wanted.request())) {
    csv += fmt::format("{},{},{:.4g},{:.4g}\n", map.nodes[static_cast<std::size_t>(pair.from)].name,
                       map.nodes[static_cast<std::size_t>(pair.to)].name, 1e6 * pair.latency, 1e-9 * pair.bandwidth);
  }
  write_output(context, "--measure-network", *wanted.node_pairs, csv);
  return machine::with_network(map, machine::read_network(machine::NetworkFormat::pairs, csv, *wanted.node_pairs));
}

int run_machine(Context& context, const MeasureOptions& wanted, const NetworkFlags& network) {
  if (wanted.picture) check_output(context, "--picture", *wanted.picture);
  if (wanted.node_pairs) check_output(context, "--measure-network", *wanted.node_pairs);
  machine::Measured result;
  if (wanted.measure) {
    result = measured_machine(context, wanted);
  } else {
    if (!wanted.node_pairs && (wanted.bytes != 0 || wanted.seconds)) {
      refuse_without(wanted.seconds ? "--measure-seconds" : "--measure-bytes", "--measure or --measure-network");
    }
    if (wanted.node_pairs && context.options.elsewhere()) {
      refuse_together("--measure-network", "--machine or --nodes: only the machine at hand can be measured");
    }
    result.map = machine_of(context);
  }
  if (wanted.node_pairs) result.map = with_measured_pairs(context, result.map, wanted);
  result.map = network.apply(context, std::move(result.map));
  const machine::MachineMap& map = result.map;
  if (wanted.picture) write_output(context, "--picture", *wanted.picture, topology_svg(map));
  const std::vector<std::string> warnings = warnings_of(map, most_warnings);
  if (context.options.json) {
    // The map itself, so that the output is what --machine reads.
    context.print_json(io::to_json(map));
    for (const std::string& warning : warnings) {
      if (context.root() && wanted.measure) log(LogLevel::warning, warning);
    }
    return 0;
  }
  std::string text = fmt::format("{}: {}, {}, {}; network {} each way, {}\nfabric: {}\n", map.name,
                                 plural(std::ssize(map.nodes), "node"), plural(std::ssize(map.ranks), "rank"),
                                 plural(map.device_count(), "device"), rate_text(map.network.bandwidth),
                                 seconds_text(map.network.latency), fabric_text(map.network.fabric));
  text += racks_text(map) + types_text(map) + ranks_text(map);
  if (!map.sources.empty()) text += "\n";
  for (const auto& source : map.sources) text += fmt::format("source: {}\n", source);
  text += measured_tables(map);
  if (!warnings.empty()) text += "\n";
  for (const std::string& warning : warnings) text += fmt::format("warning: {}\n", warning);
  context.print_text(text);
  return 0;
}

}  // namespace

void add_machine_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("machine", "1. find the nodes, devices and links (--json: a map for --machine)");
  add_planning_options(*command, options, Stage::machine);
  auto own = std::make_shared<MeasureOptions>();
  add_text(*command, "--picture", "SVG", "draw the nodes' devices and links", own->picture);
  constexpr const char* group = "Measurement";
  add_flag(*command, "--measure",
           "measure bandwidth and latency of each pair, direction and method, and real exchanges", own->measure)
      ->group(group);
  add_integer(*command, "--measure-bytes", "N",
              "bytes of each message (default 64 MiB between GPUs, 4 MiB between host devices)", own->bytes, 1024,
              std::int64_t{1} << 32)
      ->group(group);
  add_positive(*command, "--measure-seconds", "S",
               "start new measurements for this long, first of pairs, then of exchanges (default 45)", own->seconds,
               1e6)
      ->group(group);
  add_text(*command, "--measure-network", "CSV",
           "measure between each two nodes, one pair at a time, and take the network from these pairs, as --network "
           "does; they are written to this file",
           own->node_pairs)
      ->group(group);
  add_examples(*command, {"halocline machine", "halocline machine --machine summit --nodes 2",
                          "halocline machine --machine summit --picture summit.svg"});
  const auto network = std::make_shared<NetworkFlags>();
  add_network_options(*command, *network);
  command->callback([&chosen, own, network] {
    network->check();
    if (own->node_pairs && network->file) refuse_together("--measure-network", "--network");
    chosen = [own, network](Context& context) { return run_machine(context, *own, *network); };
  });
}

}  // namespace cli
