// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "fields.hpp"
#include "halocline/error.hpp"
#include "partition/halo.hpp"
#include "partition/shared_cells.hpp"
#include "partition/strategy.hpp"
#include "support/effort.hpp"

// Messages against a reference without directions, neighbours or shifts: for each cell around a subdomain it computes
// whether the stencil reads it, and which subdomain owns it.

namespace halocline::partition {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool coin() { return from(0, 1) == 1; }

  Vec3 vec(std::int64_t least, std::int64_t most) { return {from(least, most), from(least, most), from(least, most)}; }

  Stencil radius() {
    const bool symmetric = coin();
    const Vec3 lower = vec(0, 3);
    Stencil r = Stencil::per_side(lower, symmetric ? lower : vec(0, 3));
    if (from(0, 3) == 0) r = r.without_corners();
    if (from(0, 3) == 0) r = r.without_edges();
    for (const Direction d : all_directions) {
      if (d.order() > 1 && r.reads(d) && from(0, 9) == 0) r = r.with(d, false);
    }
    return r;
  }

  std::vector<Directions> directions(int components) {
    std::vector<Directions> all;
    for (int c = 0; c < components; ++c) all.emplace_back(coin() ? random_() : random_() & random_());
    return all;
  }

 private:
  std::mt19937_64 random_;
};

Geometry random_geometry(Dice& dice) {
  Boundaries boundaries{};
  for (Boundary& b : boundaries) {
    b = dice.coin() ? Boundary::open : dice.coin() ? Boundary::periodic_in_kernel : Boundary::periodic;
  }
  std::vector<FieldDescriptor> fields;
  const std::int64_t count = dice.from(1, 3);
  Vec3 widest;
  const Stencil radius = dice.radius();
  for (std::int64_t f = 0; f < count; ++f) {
    FieldDescriptor field = field_named("f");
    field.element = dice.coin() ? Element::f32 : Element::u8;
    field.components = static_cast<int>(dice.from(1, 3));
    if (dice.coin()) field.stencil = dice.radius();
    if (dice.coin()) field.component_directions = dice.directions(field.components);
    for (bool& s : field.staggered) s = dice.from(0, 2) == 0;
    const Stencil& r = field.stencil ? *field.stencil : radius;
    for (int dim = 0; dim < 3; ++dim)
      widest[dim] = std::max({widest[dim], r.lower()[dim], r.upper()[dim], std::int64_t{1}});
    fields.push_back(field);
  }
  const Vec3 nodes = dice.vec(1, 2);
  const Vec3 devices{dice.from(1, 2), dice.from(1, 2), dice.from(1, 3) == 3 ? 3 : 1};
  Request request{.halo = Stencil::box(widest.x, widest.y, widest.z)};
  // From the smallest extent that fits upwards, including odd sizes.
  request.extent = nodes * devices * widest + dice.vec(0, 4);
  request.nodes = nodes.volume();
  request.devices_per_node = devices.volume();
  request.method = Method::given;
  request.node_grid = nodes;
  request.device_grid = devices;
  request.order = dice.coin() ? Order::row_major : Order::z_order;
  for (std::int64_t s = 0; s < request.nodes * request.devices_per_node; ++s) {
    request.weights.push_back(static_cast<double>(dice.from(1, 3)));
  }
  return {make_partition(request), fields, radius, boundaries};
}

/// The owner of a cell in the receiver's frame; nothing outside an open domain.
std::optional<Vec3> home_of(const Geometry& g, const FieldDescriptor& field, Vec3 cell) {
  for (int dim = 0; dim < 3; ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    const std::int64_t n = g.partition.extent()[dim];
    if (g.boundaries[i] != Boundary::open) {
      cell[dim] = (cell[dim] % n + n) % n;
    } else if (cell[dim] < 0 || cell[dim] >= n + (field.staggered[i] ? 1 : 0)) {
      return std::nullopt;
    }
  }
  return cell;
}

bool is_read(const HaloWidth& halo, const Box& owned, const Vec3& cell) {
  int side[3];
  for (int dim = 0; dim < 3; ++dim) {
    side[dim] = cell[dim] < owned.lo[dim] ? -1 : (cell[dim] >= owned.hi[dim] ? 1 : 0);
    const std::int64_t away = side[dim] < 0 ? owned.lo[dim] - cell[dim] : cell[dim] - owned.hi[dim] + 1;
    if (side[dim] != 0 && away > halo.face(dim, side[dim] < 0 ? Side::lower : Side::upper)) return false;
  }
  if (side[0] == 0 && side[1] == 0 && side[2] == 0) return false;
  return halo.has(Direction::of(side[0], side[1], side[2]));
}

/// The number of components of a halo cell that are exchanged.
int exchanged(const FieldDescriptor& field, const Box& owned, const Vec3& cell) {
  if (field.component_directions.empty()) return field.components;
  int towards[3];  // from the cell's owner to this subdomain
  for (int dim = 0; dim < 3; ++dim)
    towards[dim] = cell[dim] < owned.lo[dim] ? 1 : (cell[dim] >= owned.hi[dim] ? -1 : 0);
  const int index = Direction::of(towards[0], towards[1], towards[2]).index();
  return static_cast<int>(std::ranges::count_if(field.component_directions, [&](const Directions& directions) {
    return directions.test(static_cast<std::size_t>(index));
  }));
}

void check_cells(const Geometry& g, subdomain_id to) {
  const auto fields = static_cast<std::int64_t>(g.fields.size());
  std::int64_t bytes = 0;
  std::int64_t bytes_of_messages = 0;
  for (const Message& m : incoming(g, to)) bytes_of_messages += m.bytes();
  for (field_id field(0); field.value() < fields; field = field_id(field.value() + 1)) {
    std::map<Vec3, std::pair<subdomain_id, Vec3>> filled;  // halo cell -> the sender and the source cell
    for (const Message& m : incoming(g, to)) {
      for (const Segment& s : m.segments) {
        if (s.field != field) continue;
        ASSERT_EQ(s.source.extent(), s.target.extent());
        ASSERT_TRUE(g.owned(field, m.from).contains(s.source));
        for_each_cell(s.target, [&](const Vec3& cell) {
          EXPECT_TRUE(filled.emplace(cell, std::pair{m.from, s.source.lo + (cell - s.target.lo)}).second)
              << "a halo cell is filled twice";
        });
      }
    }
    std::size_t expected = 0;
    const Box owned = g.owned(field, to);
    for_each_cell(owned.grown(Vec3::filled(4), Vec3::filled(4)), [&](const Vec3& cell) {
      if (!is_read(g.halo_of(field), owned, cell)) return;
      const std::optional<Vec3> home = home_of(g, g.fields[field.index()], cell);
      const int components = exchanged(g.fields[field.index()], owned, cell);
      if (!home || components == 0) return;
      ++expected;
      bytes += components * bytes_of(g.fields[field.index()].element);
      const auto found = filled.find(cell);
      ASSERT_NE(found, filled.end()) << to_string(cell) << " is read but not filled";
      ASSERT_EQ(found->second.second, *home);
    });
    ASSERT_EQ(filled.size(), expected) << "more is filled than is read";
  }
  ASSERT_EQ(bytes_of_messages, bytes);
}

bool same(const Message& a, const Message& b) {
  return a.from == b.from && a.to == b.to &&
         std::ranges::equal(a.segments, b.segments, [](const Segment& s, const Segment& t) {
           return s.field == t.field && s.direction == t.direction && s.source == t.source && s.target == t.target &&
                  s.bytes == t.bytes && s.all_components == t.all_components;
         });
}

/// Each segment's cells, with all of its components, are in its holder, which holds itself.
void check_holders(const Message& message) {
  const std::vector<std::size_t> holder = holders(message.segments);
  ASSERT_EQ(holder.size(), message.segments.size());
  for (std::size_t i = 0; i < holder.size(); ++i) {
    const Segment& held = message.segments[i];
    const Segment& by = message.segments[holder[i]];
    ASSERT_EQ(holder[holder[i]], holder[i]);
    ASSERT_EQ(by.field, held.field);
    ASSERT_TRUE(by.source.contains(held.source));
    ASSERT_EQ(by.bytes / by.source.volume(), held.bytes / held.source.volume());
  }
}

/// Both ends have the same lists in the documented order, and flows equal their bytes.
void check_lists(const Geometry& g) {
  std::map<std::pair<subdomain_id, subdomain_id>, Message> sent;
  std::size_t received = 0;
  for (std::int64_t s = 0; s < g.partition.size(); ++s) {
    const std::vector<Message> out = outgoing(g, subdomain_id(s));
    const std::vector<Flow> flows = outgoing_flows(g, subdomain_id(s));
    ASSERT_EQ(out.size(), flows.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i].from, subdomain_id(s));
      if (i > 0) {
        ASSERT_LT(out[i - 1].to, out[i].to);
      }
      ASSERT_TRUE(std::ranges::is_sorted(out[i].segments, {}, [](const Segment& t) {
        return std::pair{t.field, t.direction.index()};
      }));
      ASSERT_EQ(flows[i].from, out[i].from);
      ASSERT_EQ(flows[i].to, out[i].to);
      ASSERT_EQ(flows[i].bytes, out[i].bytes());
      ASSERT_EQ(flows[i].bytes_once, bytes_once(out[i]));
      check_holders(out[i]);
      for (const Segment& t : out[i].segments) {
        ASSERT_GT(t.bytes, 0);
      }
      sent.emplace(std::pair{out[i].from, out[i].to}, out[i]);
    }
  }
  for (std::int64_t s = 0; s < g.partition.size(); ++s) {
    const std::vector<Message> in = incoming(g, subdomain_id(s));
    for (std::size_t i = 0; i < in.size(); ++i) {
      ++received;
      ASSERT_EQ(in[i].to, subdomain_id(s));
      if (i > 0) {
        ASSERT_LT(in[i - 1].from, in[i].from);
      }
      const auto found = sent.find({in[i].from, in[i].to});
      ASSERT_NE(found, sent.end());
      ASSERT_TRUE(same(found->second, in[i]));
    }
  }
  ASSERT_EQ(received, sent.size());
}

TEST(HaloProperty, MessagesFillWhatIsReadAndNothingElse) {
  int with_messages = 0;
  for (std::uint64_t seed = 0; seed < test::some_of<std::uint64_t>(600); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const Geometry g = random_geometry(dice);
    ASSERT_NO_THROW(check_fits(g));
    check_lists(g);
    for (std::int64_t s = 0; s < g.partition.size(); ++s) check_cells(g, subdomain_id(s));
    if (HasFatalFailure()) return;
    with_messages += outgoing(g, subdomain_id(0)).empty() ? 0 : 1;
  }
  EXPECT_GT(with_messages, test::some_of(500));
}

// Geometries are accepted exactly if all source cells are inside their owners.
TEST(HaloProperty, CheckFitsRefusesJustWhatIsTooThin) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < test::some_of<std::uint64_t>(300); ++seed) {
    Dice dice(seed);
    const Geometry made = random_geometry(dice);
    std::vector<FieldDescriptor> fields = made.fields;
    fields[0].stencil = Stencil::per_side(dice.vec(0, 5), dice.vec(0, 5));
    for (FieldDescriptor& field : fields) field.component_directions.clear();  // unsent ones must fit, too
    const Geometry g(made.partition, fields, made.stencil, made.boundaries);
    bool inside = true;
    for (std::int64_t s = 0; s < g.partition.size(); ++s) {
      for (const Message& m : incoming(g, subdomain_id(s))) {
        for (const Segment& t : m.segments) inside = inside && g.owned(t.field, m.from).contains(t.source);
      }
    }
    bool accepted = true;
    try {
      check_fits(g);
    } catch (const InvalidArgument&) {
      accepted = false;
      ++refused;
    }
    EXPECT_EQ(accepted, inside) << "seed " << seed;
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace halocline::partition
