// SPDX-License-Identifier: BSD-3-Clause
#include "plan/slow_route.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "machine/paths.hpp"
#include "machine/rates.hpp"

namespace halocline {
namespace {

using machine::VertexKind;
using placement::Slot;
using routing::Transport;

double gigabytes(double bytes_per_second) { return bytes_per_second / 1e9; }

/// The reasons against faster transports, which follow the first "; " of a route's reason.
std::string other_transport(const SlowRoute& slow) {
  if (!slow.fell_back()) return {};
  const std::size_t reasons = slow.route.reason.find("; ");
  return fmt::format("{} instead of {}: {}", to_string(slow.route.transport), to_string(slow.expected_transport),
                     reasons == std::string::npos ? slow.route.reason : slow.route.reason.substr(reasons + 2));
}

/// Ranks of the node that may run on no other processing units than a rank, and the threads that move their halos.
std::string shared_cores(const Plan& plan, std::span<const RankCores> cores, rank_id rank, bool gpus) {
  const auto& own = cores[rank.index()].cpus;
  const auto& ranks = plan.machine.ranks;
  if (own.empty()) return {};
  std::size_t sharing = 0;
  std::size_t threads = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].node != ranks[rank.index()].node || cores[r].cpus.empty()) continue;
    if (!std::ranges::includes(own, cores[r].cpus)) continue;
    ++sharing;
    threads += gpus ? 1 : ranks[r].devices.size();
  }
  if (threads <= own.size()) return {};
  return fmt::format(
      "shared cores: rank {} and {} more of its node have {} threads for {} processing unit{}; bind each rank to cores "
      "of its own (mpirun --bind-to core)",
      rank.value(), sharing - 1, threads, own.size(), own.size() == 1 ? "" : "s");
}

/// The NUMA node with the widest path to a device, or -1.
int nearest_numa(const machine::NodeType& type, int device) {
  int nearest = -1;
  double widest = 0;
  for (int v = 0; std::cmp_less(v, type.vertices.size()); ++v) {
    if (type.vertices[static_cast<std::size_t>(v)].kind != VertexKind::numa) continue;
    const double bandwidth = machine::link_path(type, device, v).bandwidth;
    if (bandwidth <= widest) continue;
    widest = bandwidth;
    nearest = v;
  }
  return nearest;
}

bool uses_host(Transport transport, bool gpus) {
  return !gpus || transport == Transport::mpi_staged || transport == Transport::mpi_device ||
         transport == Transport::net;
}

std::string far_cores(const Plan& plan, std::span<const RankCores> cores, const Slot& slot) {
  const int numa = cores[slot.rank.index()].numa;
  const machine::NodeType& type = plan.machine.type_of(slot.node);
  if (numa < 0 || std::cmp_greater_equal(numa, type.vertices.size())) return {};
  const int device = type.device_vertices().at(slot.device.index());
  const int nearest = nearest_numa(type, device);
  if (nearest < 0 ||
      machine::link_path(type, device, numa).bandwidth >= machine::link_path(type, device, nearest).bandwidth) {
    return {};
  }
  const auto name = [&type](int vertex) { return type.vertices[static_cast<std::size_t>(vertex)].name; };
  return fmt::format("wrong NUMA node: rank {} runs on {}, its device {} is at {}; bind the rank there",
                     slot.rank.value(), name(numa), slot.device.value(), name(nearest));
}

std::string slow_links(const Plan& plan, Transport transport, const Slot& from, const Slot& to) {
  const auto& nodes = plan.machine.nodes;
  if (from.node != to.node && (transport == Transport::direct || transport == Transport::ipc_copy)) {
    return fmt::format(
        "the links between {} and {} within their rack are below those of the machine map: capped, or shared",
        nodes[from.node.index()].name, nodes[to.node.index()].name);
  }
  if (from.node != to.node) {
    return fmt::format(
        "the network between {} and {} is below the {:.3g} GB/s of the machine map: a link that is capped, or shared",
        nodes[from.node.index()].name, nodes[to.node.index()].name, gigabytes(plan.machine.network.bandwidth));
  }
  for (const auto& path : machine::slow_paths(plan.machine, 0.2)) {
    if (path.type != nodes[from.node.index()].type || path.from != from.device.value() ||
        path.to != to.device.value()) {
      continue;
    }
    return fmt::format("the link between devices {} and {} was measured at {:.3g} GB/s, nominal are {:.3g} GB/s",
                       path.from, path.to, gigabytes(path.measured), gigabytes(path.nominal));
  }
  const double known = machine::best_path(plan.machine.type_of(from.node), from.device, to.device).bandwidth;
  return fmt::format(
      "the link between devices {} and {} is below the {:.3g} GB/s of the machine map: it is capped, or shared "
      "('halocline machine --measure' measures it)",
      from.device.value(), to.device.value(), gigabytes(known));
}

}  // namespace

std::string likely_cause(const SlowRoute& slow, const Plan& plan, std::span<const RankCores> cores, bool gpus) {
  const Slot& from = plan.placement.of(slow.route.from);
  const Slot& to = plan.placement.of(slow.route.to);
  if (std::string why = other_transport(slow); !why.empty()) return why;
  for (const Slot* slot : {&from, &to}) {
    if (std::string why = shared_cores(plan, cores, slot->rank, gpus); !why.empty()) return why;
  }
  for (const Slot* slot : {&from, &to}) {
    if (!uses_host(slow.route.transport, gpus)) break;
    if (std::string why = far_cores(plan, cores, *slot); !why.empty()) return why;
  }
  return slow_links(plan, slow.route.transport, from, to);
}

std::string slow_route_text(const SlowRoute& slow, const Plan& plan, std::span<const RankCores> cores, bool gpus,
                            int exchanges) {
  const auto rate = [&slow](double seconds) { return gigabytes(static_cast<double>(slow.bytes) / seconds); };
  return fmt::format(
      "slow path: subdomain {} -> {} (rank {} -> {}) by {} runs at {:.3g} GB/s, predicted are {:.3g} GB/s (at best "
      "{:.3g} ms instead of {:.3g} ms, in {} exchanges that were timed); likely cause: {}",
      slow.route.from.value(), slow.route.to.value(), plan.owner(slow.route.from).value(),
      plan.owner(slow.route.to).value(), to_string(slow.route.transport), rate(slow.observed), rate(slow.expected),
      1e3 * slow.observed, 1e3 * slow.expected, exchanges, likely_cause(slow, plan, cores, gpus));
}

}  // namespace halocline
