// SPDX-License-Identifier: BSD-3-Clause
#include "mapping.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/limits.hpp"
#include "halocline/error.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

/// Of one kind of traffic.
void add_rows(Table& table, const char* traffic, const mapping::Quality& before, const mapping::Quality& after) {
  for (std::size_t l = 0; l < after.levels.size(); ++l) {
    const auto& old = before.levels[l];
    const auto& now = after.levels[l];
    if (old.maximum == 0 && now.maximum == 0) continue;
    table.row({traffic, now.level, seconds_cell(old.average), seconds_cell(now.average), seconds_cell(old.maximum),
               seconds_cell(now.maximum)});
  }
}

Json one_quality_json(const mapping::Quality& quality) {
  Json json{{"hop_bytes", quality.hop_bytes}, {"maximum_congestion_s", quality.maximum()}};
  json["levels"] = Json::array();
  for (const auto& level : quality.levels) {
    json["levels"].push_back(
        {{"level", level.level}, {"average_congestion_s", level.average}, {"maximum_congestion_s", level.maximum}});
  }
  return json;
}

const machine::NodeEntry& node_of(const machine::MachineMap& machine, const mapping::Seat& seat) {
  return machine.nodes[static_cast<std::size_t>(seat.node)];
}

std::string uuid_of(const machine::MachineMap& machine, const mapping::Seat& seat) {
  const auto& uuids = node_of(machine, seat).device_uuids;
  const auto at = static_cast<std::size_t>(seat.device);
  return seat.device >= 0 && at < uuids.size() ? uuids[at] : std::string();
}

}  // namespace

namespace {

std::ifstream opened(const std::string& path) {
  std::ifstream in(path);
  if (!in) {
    throw InvalidArgument(
        fmt::format("'{}' cannot be read: {}; allowed is a file that can", path, std::strerror(errno)));
  }
  return in;
}

}  // namespace

mapping::CommunicationMatrix read_matrix_file(const std::string& path) {
  std::ifstream in = opened(path);
  return mapping::read_matrix(in, path);
}

mapping::Communication read_communication_file(const std::string& path) {
  std::ifstream in = opened(path);
  return mapping::read_communication(in, path);
}

std::vector<mapping::Seat> read_mapping_file(const std::string& path, const machine::MachineMap& machine) {
  std::ifstream in = opened(path);
  const Json document = io::parse_document_or_null(std::string(std::istreambuf_iterator(in), {}));
  const auto refuse_file = [&](const std::string& what, const std::string& allowed) {
    throw InvalidArgument(fmt::format("'{}' {}; allowed is {}", path, what, allowed));
  };
  const Json* const processes = document.find("processes");
  if (processes == nullptr || processes->elements().empty()) {
    refuse_file("has no \"processes\"", "a document of 'halocline map', by --json or --format json");
  }
  // -1 where there is no such number.
  const auto number = [](const Json& entry, const char* key) {
    const Json* const found = entry.find(key);
    return found != nullptr && found->if_integer() != nullptr ? *found->if_integer() : -1;
  };
  std::vector<mapping::Seat> seats;
  for (const Json& entry : processes->elements()) {
    const auto rank = std::ssize(seats);
    const auto node = number(entry, "node");
    const auto core = number(entry, "core");
    const auto device = number(entry, "device");
    const Json* const named = entry.find("host");
    const Json host = named == nullptr ? Json() : *named;
    if (number(entry, "rank") != rank || core < 0 || core > limits::cores_of_node) {
      refuse_file(fmt::format("has no rank {} with a core at place {} of \"processes\"", rank, rank),
                  "every rank, in order");
    }
    if (node < 0 || node >= std::ssize(machine.nodes) ||
        host != Json(machine.nodes[static_cast<std::size_t>(node)].name)) {
      refuse_file(fmt::format("has rank {} on node {}, named {}", rank, node, host.dump(Json::Utf8::replaced)),
                  fmt::format("a node of '{}' with its number and name", machine.name));
    }
    const std::int64_t devices = machine.devices_of(node_id(node));
    if (device < 0 || device >= devices) {
      refuse_file(fmt::format("has rank {} on device {}", rank, device),
                  fmt::format("one of the {} devices of node '{}'", devices,
                              machine.nodes[static_cast<std::size_t>(node)].name));
    }
    seats.push_back({static_cast<int>(node), static_cast<int>(core), static_cast<int>(device)});
  }
  return seats;
}

std::vector<int> parse_numbers(const std::string& name, const std::string& word) {
  constexpr int most = 1 << 20;
  std::vector<int> numbers;
  if (word.empty()) return numbers;
  for (const auto& part : split_at_commas({word})) {
    const auto dash = part.find('-');
    const auto first = parse_integer(name, part.substr(0, dash), 0, most);
    const auto last = dash == std::string::npos ? first : parse_integer(name, part.substr(dash + 1), first, most);
    if (std::ssize(numbers) + last - first > most)
      refuse(name, word, fmt::format("a list of at most {} numbers", most));
    for (auto n = first; n <= last; ++n) numbers.push_back(static_cast<int>(n));
  }
  return numbers;
}

std::vector<mapping::FreeParts> parse_free(const std::string& name, const Words& words,
                                           const machine::MachineMap& machine) {
  std::vector<mapping::FreeParts> free = mapping::all_free(machine);
  for (const std::string& word : words) {
    const auto first = word.find(':');
    const auto second = word.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) refuse(name, word, "NODE:CORES:DEVICES, such as n0:0-11:0,1");
    bool found = false;
    for (std::size_t n = 0; n < free.size(); ++n) {
      if (machine.nodes[n].name != word.substr(0, first)) continue;
      free[n] = {parse_numbers(name, word.substr(first + 1, second - first - 1)),
                 parse_numbers(name, word.substr(second + 1))};
      found = true;
    }
    if (!found)
      refuse(name, word, fmt::format("the name of a node of the machine '{}' before the first colon", machine.name));
  }
  return free;
}

mapping::PhaseMappers parse_mappers(const std::string& name, const Words& words) {
  const Words parts = split_at_commas(words);
  std::vector<mapping::Mapper> mappers;
  for (const auto& part : parts) mappers.push_back(parse_choice(name, part, choices_of(mapping::all_mappers)));
  if (mappers.size() == 1) return {mappers[0], mappers[0], mappers[0]};
  if (mappers.size() != 3) {
    refuse(name, fmt::format("{} names", mappers.size()), "one name, or three: for nodes, cores and GPUs");
  }
  return {mappers[0], mappers[1], mappers[2]};
}

std::string quality_table(const mapping::JobQuality& before, const mapping::JobQuality& after) {
  Table table({"traffic", "level", "average before", "after", "maximum before", "after"});
  table.same_units();
  add_rows(table, "CPU", before.cpu, after.cpu);
  add_rows(table, "GPU", before.gpu, after.gpu);
  add_rows(table, "together", before.together, after.together);
  return table.text();
}

Json quality_json(const mapping::JobQuality& quality) {
  return {{"cpu", one_quality_json(quality.cpu)},
          {"gpu", one_quality_json(quality.gpu)},
          {"together", one_quality_json(quality.together)}};
}

std::string seats_table(const machine::MachineMap& machine, const std::vector<mapping::Seat>& seats) {
  Table table({"rank", "node", "core", "GPU"});
  for (std::size_t r = 0; r < seats.size(); ++r) {
    table.row({fmt::format("{}", r), node_of(machine, seats[r]).name, fmt::format("{}", seats[r].core),
               seats[r].device < 0 ? "-" : fmt::format("{}", seats[r].device)});
  }
  table.limit(64);
  return table.text();
}

Json seats_json(const machine::MachineMap& machine, const std::vector<mapping::Seat>& seats) {
  Json list = Json::array();
  for (std::size_t r = 0; r < seats.size(); ++r) {
    Json one{{"rank", r}, {"node", seats[r].node}, {"host", node_of(machine, seats[r]).name}, {"core", seats[r].core}};
    if (seats[r].device >= 0) one["device"] = seats[r].device;
    if (const auto uuid = uuid_of(machine, seats[r]); !uuid.empty()) one["uuid"] = uuid;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace cli
