// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "partition/strategy.hpp"
#include "support/halo_case.hpp"
#include "support/seeded.hpp"

namespace halocline::test {
namespace {

Stencil random_stencil(Seeded& seeded) {
  Vec3 lower;
  Vec3 upper;
  for (int dim = 0; dim < 3; ++dim) {
    lower[dim] = seeded.chance(25) ? 0 : seeded.between(1, 3);
    upper[dim] = seeded.chance(50) ? lower[dim] : (seeded.chance(25) ? 0 : seeded.between(1, 3));
  }
  Stencil radius = Stencil::per_side(lower, upper);
  if (seeded.chance(25)) radius = radius.without_edges();
  if (seeded.chance(25)) radius = radius.without_corners();
  for (const Direction d : all_directions) {
    if (d.order() > 1 && radius.reads(d) && seeded.chance(10)) radius = radius.with(d, false);
  }
  return radius;
}

FieldDescriptor random_field(Seeded& seeded, int number) {
  constexpr std::array types{Element::u8, Element::u16, Element::f32, Element::f64, Element::c128, Element::u64};
  FieldDescriptor field;
  field.name = fmt::format("f{}", number);
  field.element = types[static_cast<std::size_t>(seeded.between(0, 5))];
  field.components = seeded.chance(20) ? 2 : 1;
  field.buffers = seeded.chance(50) ? 2 : 1;
  if (seeded.chance(30)) field.stencil = random_stencil(seeded);
  if (seeded.chance(30)) {
    field.components = static_cast<int>(seeded.between(1, 5));
    for (int c = 0; c < field.components; ++c) field.component_directions.emplace_back(seeded.next());
  }
  for (bool& staggered : field.staggered) staggered = seeded.chance(10);
  return field;
}

/// The widest halo over all fields: the least thickness of a subdomain.
std::int64_t widest(const HaloCase& c, int dim) {
  std::int64_t most = 1;
  for (const auto& field : c.fields) {
    const Stencil& r = field.stencil ? *field.stencil : c.radius;
    most = std::max({most, r.lower()[dim], r.upper()[dim]});
  }
  return most;
}

/// A seeded factorisation of n: each prime factor goes to a random dimension, for wide, flat and long grids.
Vec3 random_grid(Seeded& seeded, std::int64_t n) {
  Vec3 grid{1, 1, 1};
  for (const std::int64_t factor : partition::prime_factors(n)) grid[static_cast<int>(seeded.between(0, 2))] *= factor;
  return grid;
}

}  // namespace

HaloCase random_case(std::uint64_t seed, int ranks) {
  Seeded seeded(seed);
  HaloCase c;
  c.name = fmt::format("seed {}", seed);
  c.radius = random_stencil(seeded);
  const auto fields = static_cast<int>(seeded.between(1, 3));
  for (int f = 0; f < fields; ++f) c.fields.push_back(random_field(seeded, f));
  for (auto& boundary : c.boundaries) {
    boundary = seeded.chance(30)   ? Boundary::open
               : seeded.chance(25) ? Boundary::periodic_in_kernel
                                   : Boundary::periodic;
  }
  c.devices_per_rank = static_cast<int>(seeded.between(1, ranks > 4 ? 2 : 3));
  std::vector<int> divisors;
  for (int k = 1; k <= ranks; ++k) {
    if (ranks % k == 0) divisors.push_back(k);
  }
  if (ranks > 1 && seeded.chance(50)) {
    c.ranks_per_node = divisors[static_cast<std::size_t>(seeded.between(0, std::ssize(divisors) - 1))];
  }
  const std::int64_t ranks_per_node = c.ranks_per_node.value_or(ranks);
  const std::int64_t devices_per_node = ranks_per_node * c.devices_per_rank;
  // The least thickness, plus a random odd remainder.
  if (seeded.chance(70)) {
    c.partition = partition::Method::given;
    c.node_grid = random_grid(seeded, ranks / ranks_per_node);
    c.device_grid = random_grid(seeded, devices_per_node);
    const Vec3 grid = *c.node_grid * *c.device_grid;
    for (int dim = 0; dim < 3; ++dim) c.extent[dim] = grid[dim] * widest(c, dim) + seeded.between(0, 5);
  } else {
    // Enough cells for any grid that the method may choose.
    constexpr std::array methods{partition::Method::exact, partition::Method::bisection, partition::Method::z_order};
    c.partition = methods[static_cast<std::size_t>(seeded.between(0, 2))];
    c.uneven_devices = ranks > 1 && seeded.chance(40);
    const std::int64_t most = std::int64_t{ranks} * (c.devices_per_rank + (c.uneven_devices ? 1 : 0));
    for (int dim = 0; dim < 3; ++dim) c.extent[dim] = most * widest(c, dim) + seeded.between(0, 5);
  }
  c.own_arrays = seeded.chance(25);
  c.subsets = seeded.chance(30);
  c.steps = static_cast<int>(seeded.between(2, 4));
  if (seeded.chance(40)) c.parts_seed = seeded.next();
  // A random transport comes first; pairs for which it is not possible use the following ones.
  std::vector<routing::Transport> order(routing::all_transports.begin(), routing::all_transports.end());
  const auto first = order.begin() + seeded.between(0, std::ssize(order) - 1);
  std::rotate(order.begin(), first, first + 1);
  if (seeded.chance(20)) std::erase(order, routing::Transport::self);
  c.policy.order = order;
  c.graphs = seeded.chance(40);
  c.sector_bytes = std::int64_t{1} << seeded.between(0, 6);
  c.tuning.short_row_bytes = seeded.between(0, 6) * 8;
  c.tuning.pack_short_rows_from_bytes = seeded.between(0, 3) * 200;
  c.tuning.packed_piece_bytes = seeded.between(1, 6) * 150;
  return c;
}

void give_boxes(HaloCase& halo_case, std::uint64_t seed, int ranks) {
  Seeded seeded(seed);
  std::vector<std::pair<std::size_t, std::size_t>> owners;  // rank, index of its box
  halo_case.boxes.clear();
  for (std::size_t rank = 0; std::cmp_less(rank, ranks); ++rank) {
    const std::size_t devices =
        static_cast<std::size_t>(halo_case.devices_per_rank) + (halo_case.uneven_devices ? rank % 2 : 0);
    halo_case.boxes.emplace_back(devices);
    for (std::size_t i = 0; i < devices; ++i) owners.emplace_back(rank, i);
  }
  const Vec3 grid = random_grid(seeded, std::ssize(owners));
  std::array<std::vector<std::int64_t>, 3> cuts;
  for (int dim = 0; dim < 3; ++dim) {
    auto& positions = cuts[static_cast<std::size_t>(dim)];
    positions = {0};
    for (std::int64_t slab = 0; slab < grid[dim]; ++slab) {
      positions.push_back(positions.back() + widest(halo_case, dim) + seeded.between(0, 3));
    }
    halo_case.extent[dim] = positions.back();
  }
  for_each_cell(Box::of_extent(grid), [&](const Vec3& index) {
    std::swap(owners[static_cast<std::size_t>(seeded.between(0, std::ssize(owners) - 1))], owners.back());
    Box& box = halo_case.boxes[owners.back().first][owners.back().second];
    owners.pop_back();
    for (int dim = 0; dim < 3; ++dim) {
      const auto position = cuts[static_cast<std::size_t>(dim)].begin() + index[dim];
      box.lo[dim] = position[0];
      box.hi[dim] = position[1];
    }
  });
  halo_case.partition = partition::Method::exact;
  halo_case.node_grid.reset();
  halo_case.device_grid.reset();
  halo_case.name += ", boxes of one's own";
}

void store_x_halos_apart(HaloCase& halo_case, std::uint64_t seed) {
  Seeded seeded(seed);
  for (FieldDescriptor& field : halo_case.fields) field.x_halos_apart = seeded.chance(70);
  halo_case.fields.front().x_halos_apart = true;
  halo_case.own_arrays = false;
  halo_case.name += ", halos in x apart";
}

void give_wires(HaloCase& halo_case, std::uint64_t seed) {
  Seeded seeded(seed);
  const auto wire_of = [&](Element element) -> std::optional<Element> {
    constexpr std::array of_f64{Element::f32, Element::bf16, Element::f16};
    switch (element) {
      case Element::f64: return of_f64[static_cast<std::size_t>(seeded.between(0, 2))];
      case Element::f32: return of_f64[static_cast<std::size_t>(seeded.between(1, 2))];
      case Element::c128: return Element::c64;
      default: return std::nullopt;
    }
  };
  bool any = false;
  for (FieldDescriptor& field : halo_case.fields) {
    if (seeded.chance(70)) field.wire = wire_of(field.element);
    any = any || field.wire;
  }
  if (any) return;
  FieldDescriptor& first = halo_case.fields.front();
  first.element = seeded.chance(50) ? Element::f64 : Element::f32;
  first.wire = wire_of(first.element);
}

}  // namespace halocline::test
