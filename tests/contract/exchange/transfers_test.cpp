// SPDX-License-Identifier: BSD-3-Clause
// Transfers: captured and eager alternately, their bytes, with validate_ordering, and refused ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "domain/internals.hpp"
#include "exchange/detail/exchange_plan.hpp"
#include "exchange/detail/split_payload.hpp"
#include "partition/strategy.hpp"
#include "ranks.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"
#include "support/lattice.hpp"
#include "ways.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr Vec3 extent{9, 8, 12};
constexpr double untouched = -1;

Directions only(std::initializer_list<Direction> directions) {
  Directions all;
  for (const Direction d : directions) all.set(static_cast<std::size_t>(d.index()));
  return all;
}

double value_of(const Vec3& p) { return static_cast<double>((p.z * extent.y + p.y) * extent.x + p.x); }

/// The expected halos: the transfers of each exchange since reset().
struct Expected {
  std::vector<Transfer> moved;
  [[nodiscard]] bool arrived(const Box& owned, const Vec3& p) const {
    return std::ranges::any_of(moved, [&](const Transfer& transfer) {
      int from[3];
      std::int64_t away = 0;
      for (int dim = 0; dim < 3; ++dim) {
        const std::int64_t below = std::max<std::int64_t>(owned.lo[dim] - p[dim], 0);
        const std::int64_t above = std::max<std::int64_t>(p[dim] - owned.hi[dim] + 1, 0);
        from[dim] = below > 0 ? 1 : above > 0 ? -1 : 0;
        away = std::max({away, below, above});
      }
      const int index = Direction::of(from[0], from[1], from[2]).index();
      return transfer.directions.test(static_cast<std::size_t>(index)) && away <= transfer.depth;
    });
  }
};

/// A domain of doubles with a halo of 3; each cell holds a function of its position.
class Cells {
 public:
  Cells(comm::RankGroup& comm, const DomainOptions& options) : domain(extent, Stencil::box(3), comm, options) {
    u = domain.add_field<double>("u");
    domain.realize();
  }
  void reset() {
    for (const Subdomain& s : domain.subdomains()) {
      const auto view = s.view(u);
      for_each_cell(view.with_halo(),
                    [&](const Vec3& p) { view(p) = s.owned().contains(p) ? value_of(p) : untouched; });
    }
  }
  /// The number of wrong cells.
  [[nodiscard]] int wrong(const Expected& expected) {
    domain.synchronize();
    int count = 0;
    for (const Subdomain& s : domain.subdomains()) {
      const auto view = s.view(u);
      for_each_cell(view.with_halo(), [&](const Vec3& p) {
        Vec3 home = p;
        for (int dim = 0; dim < 3; ++dim) home[dim] = (p[dim] + extent[dim]) % extent[dim];
        const bool there = s.owned().contains(p) || expected.arrived(s.owned(), p);
        if (view(p) != (there ? value_of(home) : untouched)) ++count;
      });
    }
    return count;
  }
  [[nodiscard]] std::vector<Transfer> part(const Directions& directions, std::int64_t depth = Transfer::whole) const {
    return {{.field = u.id, .directions = directions, .depth = depth}};
  }

  Domain domain;
  Field<double> u;
};

DomainOptions options_of_parts(routing::Transport transport, bool graphs = false) {
  return options_with(nullptr, transport, 30s, graphs);
}

class Transfers : public testing::TestWithParam<std::tuple<routing::Transport, bool>> {};

TEST_P(Transfers, one_after_the_other_fill_what_each_moves) {
  const auto [transport, graphs] = GetParam();
  for (const bool validate_ordering : {false, true}) {
    const auto all = outcomes(2, [&](comm::RankGroup& comm) {
      DomainOptions options = options_of_parts(transport, graphs);
      options.debug.validate_ordering = validate_ordering;
      Cells cells(comm, options);
      cells.reset();
      Expected expected;
      const auto exchange = [&](const Directions& directions, std::int64_t depth) {
        const auto part = cells.part(directions, depth);
        const std::size_t way = expected.moved.size() % 3;
        if (way == 0) {
          cells.domain.exchange(part);
        } else {
          auto started = cells.domain.start_exchange(part);
          if (way == 1) started.finish();
          else started.finish([](const Subdomain&, std::span<const Box>) {});
        }
        expected.moved.push_back(part[0]);
        EXPECT_EQ(cells.wrong(expected), 0) << directions << ", depth " << depth << ", checked " << validate_ordering;
      };
      exchange({}, 2);
      exchange(only({Direction::of(1, 0, 0), Direction::of(0, -1, 1)}), 1);
      exchange(only({Direction::of(0, 0, 1), Direction::of(1, -1, 1)}), 2);
      exchange(Directions().set(), 1);
      exchange(Directions().set(), 2);
      exchange(only({Direction::of(0, 0, -1)}), Transfer::whole);
      cells.domain.exchange();
      expected.moved.push_back({.field = cells.u.id});
      EXPECT_EQ(cells.wrong(expected), 0);
      cells.domain.close();
    });
    for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
  }
}

INSTANTIATE_TEST_SUITE_P(all, Transfers, all_ways, named);

TEST(TransfersCaptured, replays_and_eager_exchanges_mix) {
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    for (const std::int64_t packets : {0, 1 << 20}) {
      DomainOptions options = options_of_parts(routing::Transport::direct);
      options.tuning.packets_at_most_bytes = packets;
      options.internal = std::make_shared<InternalOptions>(InternalOptions{.host_packets = true});
      Cells cells(comm, options);
      const auto up = cells.part(only({Direction::of(0, 0, 1), Direction::of(1, 0, 0)}), 2);
      const auto down = cells.part(only({Direction::of(0, 0, -1)}));
      const auto shallow = cells.part(Directions().set(), 1);
      const Graph recording = test::captured(cells.domain, [&] {
        cells.domain.exchange(up);
        auto exchange = cells.domain.start_exchange(shallow);
        exchange.finish();
      });
      for (int step = 0; step < 3; ++step) {
        cells.reset();
        comm.barrier();
        recording.launch();
        EXPECT_EQ(cells.wrong({{up[0], shallow[0]}}), 0) << packets;
        cells.domain.exchange(down);
        EXPECT_EQ(cells.wrong({{up[0], shallow[0], down[0]}}), 0) << packets;
        comm.barrier();
      }
      cells.domain.close();
    }
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// A payload has the bytes of its cells: of a box with a halo of 3 on all sides, computed by hand.
TEST(TransfersBytes, are_those_of_the_cells_and_components_that_move) {
  FieldDescriptor field = populations("f", Element::f64);
  partition::Request request{.extent = {16, 24, 32}, .halo = Stencil::box(3), .nodes = 1};
  request.method = partition::Method::given;
  request.node_grid = Vec3{1, 1, 1};
  const partition::Geometry geometry{partition::make_partition(request), {field}, Stencil::box(3)};
  const partition::Message message = partition::outgoing(geometry, subdomain_id(0)).at(0);
  const auto bytes = [&](const Directions& directions, std::int64_t depth) {
    const exchange::Selection selection{{{.field = field_id(0), .directions = directions, .depth = depth}}};
    return exchange::payload_of(message, selection).bytes;
  };
  constexpr auto n = Vec3{16, 24, 32};
  const std::int64_t areas = 2 * (n.x * n.y + n.y * n.z + n.z * n.x);
  const std::int64_t lengths = 4 * (n.x + n.y + n.z);
  const auto of_depth = [&](std::int64_t depth) { return 8 * (5 * depth * areas + depth * depth * lengths); };
  for (const std::int64_t depth : {1, 2, 3}) EXPECT_EQ(bytes(Directions().set(), depth), of_depth(depth));
  EXPECT_EQ(bytes(Directions().set(), Transfer::whole), of_depth(3));
  EXPECT_EQ(bytes(only({Direction::of(0, 0, 1)}), 2), n.x * n.y * 2 * 5 * 8);
  EXPECT_EQ(bytes(only({Direction::of(0, 1, 1), Direction::of(1, 1, 1)}), 2), n.x * 2 * 2 * 8);
  EXPECT_EQ(bytes({}, 2), 0);
}

TEST(TransfersBytes, of_all_subdomains_are_in_the_traffic_and_explained) {
  DomainOptions options;
  options.devices.per_rank = 2;
  Domain domain({16, 24, 32}, Stencil::box(1), options);
  domain.add_field(populations("f", Element::f64));
  domain.realize();
  std::int64_t expected = 0;
  for (const Subdomain& s : domain.subdomains()) {
    const auto [x, y, z] = s.owned().extent();
    expected += 8 * (10 * (x * y + y * z + z * x) + 4 * (x + y + z));
  }
  std::int64_t bytes = 0;
  for (const auto transport : routing::all_transports) bytes += internals(domain).traffic(transport).bytes;
  EXPECT_EQ(bytes, expected);
  EXPECT_THAT(domain.explain(), HasSubstr("field 'f': f64 x 19 components by direction"));
  domain.close();
}

/// The depth limits rows along x, which are then short and packed.
TEST(TransfersBytes, rows_that_a_depth_makes_short_fit_the_room_for_packed_ones) {
  FieldDescriptor field = populations("f", Element::f64);
  partition::Request request{.extent = {16, 8, 8}, .halo = Stencil::box(3), .nodes = 2};
  request.method = partition::Method::given;
  request.node_grid = Vec3{2, 1, 1};
  const partition::Geometry geometry{partition::make_partition(request), {field}, Stencil::box(3)};
  exchange::Tuning tuning;
  tuning.short_row_bytes = 24;  // 1 or 2 cells
  tuning.pack_short_rows_from_bytes = 1;
  tuning.packed_piece_bytes = 300;
  const partition::Message message = partition::outgoing(geometry, subdomain_id(0)).back();
  const exchange::PackedRoom room = exchange::packed_room(message, geometry, tuning, true);
  for (const std::int64_t depth : {1, 2, 3}) {
    const exchange::Selection selection{{{.field = field_id(0), .depth = depth}}};
    const auto split = exchange::split_payload(message, selection, geometry, tuning, {});
    EXPECT_EQ(split.pieces.empty(), depth == 3) << depth;
    if (split.pieces.empty()) continue;
    EXPECT_LE(std::ssize(split.pieces), room.pieces) << depth;
    EXPECT_LE(split.pieces.back().bytes + exchange::SplitPayload::slack_bytes, room.bytes) << depth;
  }
  tuning.short_row_bytes = 8;  // no row is shorter than a cell
  EXPECT_EQ(exchange::packed_room(message, geometry, tuning, true).bytes, 0);
  tuning.short_row_bytes = 9;  // rows of one cell are
  EXPECT_GT(exchange::packed_room(message, geometry, tuning, true).bytes, 0);
}

/// All rows are packed if the sender's device cannot reach the receiver's arrays, however long they are and however few.
TEST(TransfersBytes, of_arrays_out_of_reach_are_all_packed_and_fit_their_room) {
  partition::Request request{.extent = {16, 8, 8}, .halo = Stencil::box(3), .nodes = 2};
  request.method = partition::Method::given;
  request.node_grid = Vec3{1, 1, 2};
  FieldDescriptor field = populations("f", Element::f64);
  const partition::Geometry geometry{partition::make_partition(request), {field}, Stencil::box(3)};
  const partition::Message message = partition::outgoing(geometry, subdomain_id(0)).back();
  exchange::Tuning tuning;
  for (const std::int64_t piece : {std::int64_t{300}, tuning.packed_piece_bytes}) {
    tuning.packed_piece_bytes = piece;
    const exchange::PackedRoom room = exchange::packed_room(message, geometry, tuning, false);
    for (const std::int64_t depth : {1, 2, 3}) {
      const exchange::Selection selection{{{.field = field_id(0), .depth = depth}}};
      const auto split = exchange::split_payload(message, selection, geometry, tuning, {.in_place = false});
      EXPECT_TRUE(split.rows.segments.empty()) << depth;
      ASSERT_FALSE(split.pieces.empty()) << depth;
      EXPECT_LE(std::ssize(split.pieces), room.pieces) << depth;
      EXPECT_LE(split.pieces.back().bytes + exchange::SplitPayload::slack_bytes, room.bytes) << depth;
    }
  }
}

TEST(TransfersBytes, of_halos_in_x_that_are_stored_apart_need_no_receive_buffer) {
  partition::Request request{.extent = {32, 8, 8}, .halo = Stencil::box(3), .nodes = 2};
  request.method = partition::Method::given;
  request.node_grid = Vec3{2, 1, 1};
  for (const bool apart : {false, true}) {
    const FieldDescriptor field{.name = "f", .element = Element::f64, .x_halos_apart = apart};
    const partition::Geometry geometry{partition::make_partition(request), {field}, Stencil::box(3)};
    const partition::Message message = partition::outgoing(geometry, subdomain_id(0)).back();
    exchange::Tuning tuning;
    tuning.pack_short_rows_from_bytes = 1;
    tuning.packets_at_most_bytes = 0;
    const auto split = exchange::split_payload(message, {{{.field = field_id(0)}}}, geometry, tuning, {});
    EXPECT_EQ(split.pieces.empty(), apart);
    EXPECT_EQ(split.rows.segments.empty(), !apart);
    EXPECT_EQ(exchange::packed_room(message, geometry, tuning, true).bytes == 0, apart);
  }
}

/// Every cell is in one part, and the largest part of any depth fits.
TEST(TransfersBytes, in_parts_are_all_there_and_fit_their_room) {
  partition::Request request{.extent = {16, 11, 14}, .halo = Stencil::box(5), .nodes = 2};
  request.method = partition::Method::given;
  request.node_grid = Vec3{1, 1, 2};
  const partition::Geometry geometry{
      partition::make_partition(request), {populations("f", Element::f64)}, Stencil::box(5)};
  for (const partition::Message& message : partition::outgoing(geometry, subdomain_id(0))) {
    for (int n = 1; n <= 8; ++n) {
      const std::int64_t room = exchange::part_capacity(message, n);
      for (const std::int64_t depth : {1, 2, 3, 4, 5}) {
        const exchange::Selection selection{{{.field = field_id(0), .depth = depth}}};
        std::map<std::array<std::int64_t, 4>, int> cells;
        const auto count = [&](const exchange::Payload& payload, int by) {
          for (const auto& item : payload.segments) {
            for_each_cell(item.segment.target, [&](const Vec3& p) {
              cells[{p.x, p.y, p.z, item.segment.direction.index()}] += by;
            });
          }
        };
        const exchange::Payload whole = exchange::payload_of(message, selection);
        count(whole, 1);
        const auto parts = exchange::in_parts(whole, n);
        ASSERT_EQ(std::ssize(parts), n);
        for (const exchange::Payload& part : parts) {
          count(part, -1);
          EXPECT_LE(part.bytes, room) << "depth " << depth << ", " << n << " parts";
        }
        for (const auto& [cell, left] : cells) ASSERT_EQ(left, 0) << "depth " << depth << ", " << n << " parts";
      }
    }
  }
}

/// A field with a wire format is packed, half of its bytes, beside rows of others, which stay as they are.
TEST(TransfersBytes, in_a_wire_format_are_packed_and_fit_their_room) {
  partition::Request request{.extent = {16, 8, 8}, .halo = Stencil::box(3), .nodes = 2};
  request.method = partition::Method::given;
  request.node_grid = Vec3{1, 1, 2};
  FieldDescriptor narrowed{.name = "n", .element = Element::f64, .wire = Element::f32};
  const FieldDescriptor whole{.name = "w", .element = Element::f64};
  const partition::Geometry geometry{partition::make_partition(request), {narrowed, whole}, Stencil::box(3)};
  const partition::Message message = partition::outgoing(geometry, subdomain_id(0)).back();
  exchange::Tuning tuning;
  tuning.short_row_bytes = 0;
  for (const std::int64_t piece : {std::int64_t{300}, tuning.packed_piece_bytes}) {
    tuning.packed_piece_bytes = piece;
    const exchange::PackedRoom room = exchange::packed_room(message, geometry, tuning, true);
    for (const std::int64_t depth : {1, 2, 3}) {
      const exchange::Selection selection{
          {{.field = field_id(0), .depth = depth}, {.field = field_id(1), .depth = depth}}};
      const auto split = exchange::split_payload(message, selection, geometry, tuning, {.as_packets = true});
      EXPECT_TRUE(split.packets.segments.empty()) << depth;
      std::int64_t packed = 0;
      std::int64_t rows = 0;
      for (const exchange::Payload& part : split.pieces) {
        for (const auto& item : part.segments) packed += item.segment.field == field_id(0) ? item.segment.bytes : -1;
      }
      for (const auto& item : split.rows.segments) rows += item.segment.field == field_id(1) ? item.segment.bytes : -1;
      EXPECT_EQ(2 * packed, rows) << depth;
      EXPECT_GT(packed, 0) << depth;
      ASSERT_FALSE(split.pieces.empty()) << depth;
      EXPECT_LE(std::ssize(split.pieces), room.pieces) << depth;
      EXPECT_LE(split.pieces.back().bytes + exchange::SplitPayload::slack_bytes, room.bytes) << depth;
    }
  }
}

class DifferentTransfers : public testing::TestWithParam<std::tuple<routing::Transport, bool>> {};

TEST_P(DifferentTransfers, are_one_error_and_no_data) {
  const auto transport = std::get<0>(GetParam());
  const bool by_depth = std::get<1>(GetParam());
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    Cells cells(comm, options_of_parts(transport));
    cells.reset();
    comm.barrier();
    Transfer transfer{.field = cells.u.id};
    if (comm.rank() == rank_id(1) && by_depth) transfer.depth = 2;
    if (comm.rank() == rank_id(1) && !by_depth) transfer.directions = only({Direction::of(0, 0, 1)});
    cells.domain.exchange({{transfer}});
    cells.domain.synchronize();
  });
  const std::string texts = all[0].text + all[1].text;
  const auto disagree =
      HasSubstr("the two sides disagree on which fields, buffers, directions and depths are exchanged");
  if (is_by_mpi(transport)) {
    EXPECT_THAT(texts, testing::AnyOf(disagree, HasSubstr("bytes; expected were")));  // messages of other lengths
  } else {
    EXPECT_THAT(texts, disagree);
  }
  for (const Outcome& outcome : all) {
    EXPECT_NE(outcome.text, "");
    EXPECT_LT(outcome.took, 20s);
  }
}

INSTANTIATE_TEST_SUITE_P(all, DifferentTransfers, all_ways, [](const auto& param) {
  return std::string(to_string(std::get<0>(param.param))) + (std::get<1>(param.param) ? "_depth" : "_directions");
});

TEST(TransfersRefused, what_is_not_allowed_is_named) {
  DomainOptions options;
  options.steps_per_exchange = 2;
  Domain domain({16, 16, 16}, Stencil::box(1), options);
  const auto u = domain.add_field<float>("u");
  domain.realize();
  const auto refusal = [&](Transfer transfer) {
    return error_of<InvalidArgument>([&] { (void)domain.start_exchange({transfer}); });
  };
  EXPECT_THAT(refusal({.field = u.id, .depth = 0}), HasSubstr("depth of field 'u' is 0; allowed is 1 or more"));
  EXPECT_THAT(
      refusal({.field = u.id, .depth = 1}),
      HasSubstr("depth of field 'u' is 1; allowed is 2 or more, the whole halo, as an exchange serves 2 steps"));
  EXPECT_THAT(refusal({.field = field_id(3)}), HasSubstr("field is 3; allowed are 0 to 0"));
  const auto twice = [&] { (void)domain.start_exchange({{u}, {u}}); };
  EXPECT_THAT(error_of<InvalidArgument>(twice), HasSubstr("field 'u' is given twice"));
  domain.exchange({{.field = u, .depth = 2}});
  domain.close();
}

}  // namespace
}  // namespace halocline::test
