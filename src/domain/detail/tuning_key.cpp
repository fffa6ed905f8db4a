// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/tuning_key.hpp"

#include <fmt/core.h>

#include "comm/gather.hpp"
#include "comm/mpi_library.hpp"
#include "core/hash.hpp"
#include "core/printable.hpp"
#include "core/version.hpp"
#include "io/json.hpp"

namespace halocline {
namespace {

std::string digest_text(const Hash& hash) { return fmt::format("{:016x}", hash.value()); }

machine::MachineMap without_names(machine::MachineMap map) {
  map.name = "any";
  map.sources.clear();
  for (machine::NodeEntry& node : map.nodes) {
    node.name = "any";
    node.device_uuids.clear();
  }
  for (machine::NodeType& type : map.types) type.name = "any";
  return map;
}

std::string text_of_machine(const machine::MachineMap& map) {
  std::string device = "no device";
  for (const machine::NodeType& type : map.types) {
    const std::vector<int> devices = type.device_vertices();
    if (!devices.empty()) device = type.vertices[static_cast<std::size_t>(devices.front())].name;
  }
  return printable(fmt::format("{} nodes, {} ranks, {} devices: {}", map.nodes.size(), map.ranks.size(),
                               map.device_count(), device));
}

/// Only what MPI calls itself: the rest of its text may name the host that it was built on.
std::string mpi_text(const comm::RankGroup& comm) {
  if (comm.backend() != comm::CommBackend::mpi) return std::string(to_string(comm.backend()));
  const std::string version = comm::mpi_library().version;
  return printable(version.substr(0, version.find_first_of(",\n")));
}

}  // namespace

io::TunedKey tuning_key(comm::RankGroup& comm, const Plan& plan, std::span<const NamedValue> request,
                        const std::vector<Box>& boxes, const device::Backend& backend) {
  io::TunedKey key;
  const machine::MachineMap map = without_names(plan.machine);
  key.machine = {digest_text(Hash().add(io::to_json(map))), text_of_machine(plan.machine)};

  // Jobs of another size are other requests, not another machine.
  Hash all;
  all.add(std::ssize(map.nodes)).add(std::ssize(map.ranks)).add(map.device_count());
  std::string fields;
  for (const NamedValue& value : request) {
    all.add(value.name).add(static_cast<std::int64_t>(value.hash));
    if (value.name == "extent" || value.name == "radius") fields += fmt::format("{} {}, ", value.name, value.text);
  }
  for (const auto& of_rank : comm::gather(comm, boxes)) {
    for (const Box& box : of_rank) all.add(to_string(box));
  }
  key.request = {digest_text(all),
                 printable(fmt::format("{}{} fields, {} ranks, {} subdomains", fields, plan.geometry.fields.size(),
                                       map.ranks.size(), plan.geometry.partition.size()))};

  const std::string stack =
      fmt::format("Halocline {}, {}, {} devices", library_version(), mpi_text(comm), to_string(backend.kind()));
  key.stack = {digest_text(Hash().add(stack)), stack};
  return key;
}

}  // namespace halocline
