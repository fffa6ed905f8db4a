// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "halocline/error.hpp"
#include "simulation/life.hpp"

namespace halocline::simulation {

std::string_view to_string(Fault fault) {
  constexpr std::array<std::string_view, 8> names{"none",
                                                  "killed",
                                                  "stopped",
                                                  "swaps once more",
                                                  "refused mapping",
                                                  "refused export",
                                                  "failed allocation",
                                                  "failed operation"};
  return names[static_cast<std::size_t>(fault)];
}

namespace {

using routing::Transport;

void draw_order(Life& life, test::Seeded& seeded) {
  constexpr std::array firsts{Transport::direct, Transport::direct, Transport::ipc_copy, Transport::mpi_staged};
  life.policy.order = {firsts[static_cast<std::size_t>(seeded.between(0, 3))]};
  for (const Transport transport : {Transport::self, Transport::peer_copy, Transport::mpi_staged}) {
    if (transport != life.policy.order.front() && (transport == Transport::mpi_staged || seeded.chance(70))) {
      life.policy.order.push_back(transport);
    }
  }
}

/// Messages by net: all of them, or those between nodes or ranks. What comes first takes the others.
void draw_net(Life& life, test::Seeded& seeded) {
  life.policy.order.clear();
  if (seeded.chance(70)) life.ranks_per_node = life.ranks == 4 && seeded.chance(60) ? 2 : 1;
  if (life.ranks_per_node && seeded.chance(50)) {
    life.policy.order = {seeded.chance(80) ? Transport::direct : Transport::ipc_copy};
  } else if (seeded.chance(40)) {
    life.policy.order = {Transport::self, Transport::peer_copy};
  }
  life.policy.order.push_back(Transport::net);
}

}  // namespace

Time random_latest_send(test::Seeded& seeded) {
  if (seeded.chance(20)) return {};
  return std::chrono::microseconds(1) * (std::int64_t{1} << seeded.between(0, 12));
}

Life random_life(test::Seeded& seeded) {
  Life life;
  life.ranks = static_cast<int>(seeded.between(2, 4));
  life.devices = static_cast<int>(seeded.between(1, 2));
  life.domains = seeded.chance(25) ? 2 : 1;
  life.steps = static_cast<int>(seeded.between(2, 5));
  const std::int64_t radius = seeded.chance(80) ? 1 : 2;
  life.stencil = seeded.chance(60)   ? Stencil::box(radius)
                 : seeded.chance(50) ? Stencil::star(radius)
                                     : Stencil::per_side({0, 1, 1}, {1, 0, 1});
  const std::int64_t parts = std::int64_t{life.ranks} * life.devices;
  life.extent = {2, 2, 2};
  // One dimension is cut, or all may be.
  const auto cut = static_cast<int>(seeded.between(0, 3));
  for (int dim = 0; dim < 3; ++dim) {
    life.extent[dim] = dim == cut || cut == 3 ? parts * radius + seeded.between(0, 2) : radius + seeded.between(0, 1);
  }
  life.buffers = static_cast<int>(seeded.between(1, 2));
  life.workers = static_cast<int>(seeded.between(0, 2));
  life.always_remap = seeded.chance(30);
  life.library_graphs = seeded.chance(40);
  life.launch_threads = seeded.chance(15);
  life.waits_each_step = seeded.chance(30);
  const bool by_net = seeded.chance(30);
  if (by_net) {
    draw_net(life, seeded);
  } else {
    draw_order(life, seeded);
  }
  constexpr std::array kinds{routing::Messages::by_neighbour, routing::Messages::by_direction,
                             routing::Messages::by_rank, routing::Messages::by_node};
  life.messages = kinds[static_cast<std::size_t>(seeded.between(0, 3))];
  if (!by_net && life.ranks % 2 == 0 && seeded.chance(30)) life.ranks_per_node = life.ranks == 4 ? 2 : 1;
  life.tuning.staging_chunk_bytes = seeded.chance(50) ? 64 : std::int64_t{4} << 20;
  life.tuning.zero_copy_at_most_bytes = seeded.chance(50) ? 0 : 1 << 16;
  life.tuning.pack_short_rows_from_bytes = seeded.chance(50) ? 1 : 1 << 20;
  life.tuning.packed_piece_bytes = seeded.chance(50) ? 64 : 4 << 20;
  life.tuning.packets_at_most_bytes = seeded.chance(50) ? 0 : 1 << 20;
  life.sends_seed = seeded.next();
  life.latest_send = random_latest_send(seeded);
  if (seeded.chance(25)) life.serial_ranks = static_cast<int>(seeded.between(1, life.ranks));
  // Nothing may need the host.
  const bool capturable =
      (by_net && life.serial_ranks == 0) || (life.policy.order.front() == Transport::direct && !life.ranks_per_node);
  life.captured = capturable && seeded.chance(40);
  if (seeded.chance(40)) life.fault = static_cast<Fault>(seeded.between(1, 7));
  life.faulty_rank = static_cast<int>(seeded.between(0, life.ranks - 1));
  life.fault_step = static_cast<int>(seeded.between(-1, life.steps - 1));
  life.fault_place = static_cast<int>(seeded.between(0, 2));
  life.fault_number = static_cast<int>(seeded.between(1, seeded.chance(50) ? 4 : 30));
  life.lingers = (life.fault == Fault::swapped || life.fault == Fault::failed_operation) && seeded.chance(80);
  // An operation that fails in set-up may leave pairs to mpi_staged, where that is in the order.
  if (life.fault > Fault::swapped && !by_net) life.captured = false;
  if (life.fault == Fault::swapped) {
    life.buffers = 2;
    life.steps = std::max(life.steps, 2);
    life.fault_step = std::clamp(life.fault_step, 0, life.steps - 2);  // another exchange follows
  }
  life.one_operation = seeded.chance(60);
  return life;
}

std::string describe(const Life& life) {
  std::string order;
  for (const auto transport : life.policy.order) order += fmt::format(" {}", routing::to_string(transport));
  std::string text = fmt::format(
      "{} ranks x {} devices, {} domains, {} steps, extent {} x {} x {}, {} buffers, {} workers,{}, messages {}",
      life.ranks, life.devices, life.domains, life.steps, life.extent.x, life.extent.y, life.extent.z, life.buffers,
      life.workers, order, static_cast<int>(life.messages));
  if (life.ranks_per_node) text += fmt::format(", {} ranks a node", *life.ranks_per_node);
  text += fmt::format(", sends take {} us", life.latest_send.count() / 1000);
  if (life.serial_ranks > 0) text += fmt::format(", {} ranks without concurrent calls", life.serial_ranks);
  if (life.captured) text += ", captured";
  if (life.library_graphs) text += ", replayed graphs";
  if (!life.one_operation) text += ", streams for parts";
  if (life.launch_threads) text += ", launch threads";
  if (life.always_remap) text += ", mapped again";
  if (life.fault != Fault::none) {
    text += fmt::format("; rank {}: {}, step {}, place {}, number {}", life.faulty_rank, to_string(life.fault),
                        life.fault_step, life.fault_place, life.fault_number);
    if (life.lingers) text += ", whose ranks linger";
  }
  return text;
}

}  // namespace halocline::simulation
