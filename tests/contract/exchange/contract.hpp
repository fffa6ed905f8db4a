// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "support/effort.hpp"
#include "support/halo_case.hpp"
#include "support/lattice.hpp"

namespace halocline::test {

/// The cases that every transport has to pass for a number of ranks: devices a rank, virtual nodes, periodic wraps,
/// decompositions two wide, mixed fields and radii, user arrays, subsets of fields, components by direction, wire formats,
/// exchanges and accumulations alternately.
inline std::vector<HaloCase> contract_cases(routing::Transport transport, int ranks) {
  const auto field = [](const char* name, Element element, int buffers = 1) {
    FieldDescriptor f;
    f.name = name;
    f.element = element;
    f.buffers = buffers;
    return f;
  };
  // The transport under test first; pairs for which it is not possible use mpi_staged.
  routing::Policy policy;
  policy.order = {transport};
  if (transport != routing::Transport::mpi_staged) policy.order.push_back(routing::Transport::mpi_staged);

  std::vector<HaloCase> cases;
  for (const int devices : {1, 2, 3, 4}) {
    if (ranks * devices > 16 && devices == 3) continue;  // 24 subdomains; the case of 32 covers it
    for (const int ranks_per_node : {0, 1, 2, 4}) {
      if (ranks_per_node > 0 && (ranks % ranks_per_node != 0 || ranks_per_node == ranks)) continue;
      HaloCase c;
      c.devices_per_rank = devices;
      if (ranks_per_node > 0) c.ranks_per_node = ranks_per_node;
      c.policy = policy;
      const std::int64_t parts = std::int64_t{ranks} * devices;
      c.extent = {2 * parts + 5, parts + 6, parts + 3};
      c.name = fmt::format("{} ranks x {} devices, {} ranks a node, {}", ranks, devices, ranks_per_node,
                           routing::to_string(transport));

      c.fields = {field("u", Element::f64, 2)};
      cases.push_back(c);

      // Slabs: x and y are one subdomain wide, so that each is its own neighbour there.
      c.name += ", slabs";
      const std::int64_t nodes = ranks_per_node > 0 ? ranks / ranks_per_node : 1;
      c.partition = partition::Method::given;
      c.node_grid = Vec3{1, 1, nodes};
      c.device_grid = Vec3{1, 1, parts / nodes};
      c.radius = Stencil::box(2);
      c.extent = {5, 4, 2 * parts + 1};
      c.fields.push_back(populations("populations", Element::f32));
      cases.push_back(c);
      c.partition = partition::Method::exact;
      c.node_grid.reset();
      c.device_grid.reset();
      c.radius = Stencil::box(1);

      c.name += ", mixed fields";
      c.fields = {field("a", Element::f32, 2), field("b", Element::u8), field("c", Element::c128),
                  field("d", Element::u16)};
      c.fields[1].stencil = Stencil::per_side({2, 0, 1}, {1, 1, 0});
      c.fields[2].components = 3;
      c.fields[2].component_directions = {Directions().set(), Directions(), Directions(0x2c15a3b)};
      c.fields[3].stencil = Stencil::star(2);
      c.extent = {2 * parts + 5, 2 * parts + 1, 2 * parts + 2};
      c.boundaries[1] = Boundary::open;
      c.subsets = true;
      cases.push_back(c);

      c.name += ", own arrays";
      c.own_arrays = true;
      c.fields[0].staggered = {false, true, true};
      c.fields[0].wire = Element::bf16;
      c.fields[2].wire = Element::c64;
      cases.push_back(c);
    }
  }
  // Replayed graphs and eager streams, messages whole, in chunks and packed, in all combinations with the above: the periods
  // have no common factor.
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].graphs = i % 3 == 0;
    cases[i].sector_bytes = i % 4 < 2 ? 1 : 32;
    if (i % 5 == 2 && cases[i].fields[0].element == Element::f64) cases[i].fields[0].wire = Element::f32;
    if (i % 2 == 0) cases[i].tuning.zero_copy_at_most_bytes = 300;
    if (i % 7 < 4) cases[i].tuning.staging_chunk_bytes = 123;
    // direct: whole rows; rows of one or two cells packed; all rows packed; in one piece or in several.
    if (i % 11 < 6) cases[i].tuning.packed_piece_bytes = 100;
    cases[i].tuning.pack_short_rows_from_bytes = 1;
    cases[i].tuning.packets_at_most_bytes = std::array<std::int64_t, 3>{0, 2000, std::int64_t{1} << 20}[i % 13 % 3];
    // Halos in x in arrays of their own, of all fields or of the last one.
    for (std::size_t f = 0; f < cases[i].fields.size() && !cases[i].own_arrays; ++f) {
      cases[i].fields[f].x_halos_apart = i % 17 < 5 || (i % 17 < 9 && f + 1 == cases[i].fields.size());
    }
    if (i % 4 == 1) cases[i].accumulates = i % 8 == 1 ? Combine::add : Combine::replace;
    cases[i].tuning.short_row_bytes = std::array<std::int64_t, 3>{0, 12, 4096}[i / 2 % 3];
  }
  // Builds that run a part of the cases, and many ranks, take a different one of each four kinds for each number of devices
  // and nodes: each transport runs all kinds, and all transports together run all kinds in each number of devices and nodes.
  const auto turn = static_cast<std::size_t>(transport);
  const auto share = static_cast<std::size_t>(std::max(ranks < 6 ? 1 : 2, std::min(one_in, 4)));
  std::vector<HaloCase> taken;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if ((i + i / 4 + turn) % share == 0) taken.push_back(cases[i]);
  }
  // Where memory is mapped, the first of each four cases with nodes again with nodes that form a rack, so that no pair is left to mpi_staged.
  const bool maps = transport == routing::Transport::direct || transport == routing::Transport::ipc_copy;
  for (std::size_t i = 0, with_nodes = 0, end = taken.size(); maps && i < end; ++i) {
    if (!taken[i].ranks_per_node || with_nodes++ % 4 != 0) continue;
    HaloCase rack = taken[i];
    rack.virtual_rack = true;
    rack.policy.order = {transport, routing::Transport::self, routing::Transport::peer_copy};
    rack.name += ", in one rack";
    taken.push_back(rack);
  }
  return taken;
}

}  // namespace halocline::test
