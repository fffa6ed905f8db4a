// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "halocline/error.hpp"
#include "support.hpp"
#include "support/effort.hpp"

namespace halocline::model {
namespace {

using machine::ExchangeRate;
using machine::HaloPath;
using machine::HaloRows;
using testing::HasSubstr;

constexpr auto local = HaloPath::local;
constexpr auto link = HaloPath::link;
constexpr auto long_rows = HaloRows::long_rows;
constexpr auto short_rows = HaloRows::short_rows;
constexpr auto packed_rows = HaloRows::packed_rows;

/// A byte takes 1 ns over links, 5 ns packed, 0.5 ns within a device, and twice that concurrently with links. Short
/// rows take 3 times as long.
std::vector<ExchangeRate> rates() {
  return {{local, long_rows, false, 16, 2e9, 1e-6, 1.5e-6},     {local, short_rows, false, 16, 2e9 / 3, 1e-6, 1.5e-6},
          {link, long_rows, false, 16, 1e9, 2e-6, 2.5e-6},      {link, short_rows, false, 16, 1e9 / 3, 2e-6, 2.5e-6},
          {link, packed_rows, false, 4, 1e9 / 5, 2e-6, 2.5e-6}, {local, long_rows, true, 16, 1e9, 2e-6, 2.5e-6},
          {local, short_rows, true, 16, 1e9 / 3, 2e-6, 2.5e-6}};
}

const Grids two{.devices = {1, 1, 2}};
const Load::Bytes thousand{{{long_rows, 16}, 1000}};

Prediction predicted(const Load& load) { return Predictor(machine_of(two, rates())).predict(load); }

TEST(Predict, IsLatencyAndBytesAtTheirRate) {
  const Prediction link_alone = predicted({.out = thousand, .in = thousand});
  EXPECT_EQ(link_alone.picoseconds, 3'000'000);  // 2 us + 1000 * 1 ns
  EXPECT_EQ(link_alone.bound, Bound::link);
  const Prediction local_alone = predicted({.local = {{{long_rows, 16}, 4000}}});
  EXPECT_EQ(local_alone.picoseconds, 3'000'000);  // 1 us + 4000 * 0.5 ns
  EXPECT_EQ(local_alone.bound, Bound::local);
  EXPECT_DOUBLE_EQ(local_alone.seconds(), 3e-6);
}

TEST(Predict, RowsOfOnePathTakeTheirTimesTogether) {
  EXPECT_EQ(predicted({.out = {{{long_rows, 16}, 1000}, {{short_rows, 16}, 100}}}).picoseconds,
            2'000'000 + 1'000'000 + 300'000);
}

TEST(Predict, TheLatencyIsThatOfTheRowsThatTakeLongest) {
  std::vector<ExchangeRate> unlike = rates();
  unlike[3].latency = 5e-6;  // link, short rows
  const Predictor predictor(machine_of(two, unlike));
  EXPECT_EQ(predictor.predict(Load{.out = {{{long_rows, 16}, 1000}, {{short_rows, 16}, 100}}}).picoseconds,
            2'000'000 + 1'000'000 + 300'000);
  EXPECT_EQ(predictor.predict(Load{.out = {{{long_rows, 16}, 100}, {{short_rows, 16}, 1000}}}).picoseconds,
            5'000'000 + 100'000 + 3'000'000);
}

TEST(Predict, PackedRowsAreUnpackedWhileOthersCrossTheLink) {
  Load::Bytes rows{{{long_rows, 16}, 1000}, {{packed_rows, 4}, 100}};
  rows.packed_cells = 40;
  EXPECT_EQ(predicted({.out = rows}).picoseconds, 2'000'000 + 1'000'000 + 40'000);
  rows[{packed_rows, 4}] = 1000;
  EXPECT_EQ(predicted({.out = rows}).picoseconds, 2'000'000 + 5'000'000);
}

TEST(Predict, PacketsCountWhereTheMapHasARateForThem) {
  const auto g = geometry_of({32, 8, 8}, {.devices = {1, 1, 2}}, Stencil::box(0, 0, 3), {field_of(Element::f32)});
  std::vector<ExchangeRate> with_packets = rates();
  with_packets.push_back({link, HaloRows::packets, false, 16, 1e9 / 2, 0.5e-6, 1e-6});
  const Predictor rows(machine_of(two, rates()));
  const Predictor packets(machine_of(two, with_packets));
  EXPECT_EQ(rows.predict(g).picoseconds, 2'000'000 + 2 * 3 * 8 * 128 * 1'000);
  EXPECT_EQ(packets.predict(g).picoseconds, 500'000 + 2 * 3 * 8 * 160 * 2'000);
  EXPECT_EQ(rows.tuning().packets_at_most_bytes, 0);
}

TEST(Predict, PathsTakeTheirTimesBesideEachOther) {
  const Prediction by_local = predicted({.local = {{{long_rows, 16}, 5000}}, .out = thousand});
  // 2 us + (5000 + 1000) * 1 ns, concurrent with links: memory reads what is sent, too.
  EXPECT_EQ(by_local.picoseconds, 8'000'000);
  EXPECT_EQ(by_local.bound, Bound::local);
  std::vector<ExchangeRate> slow_links = rates();
  slow_links[2].bandwidth = 1e9 / 4;
  const Prediction by_link =
      Predictor(machine_of(two, slow_links)).predict(Load{.local = {{{long_rows, 16}, 500}}, .out = thousand});
  EXPECT_EQ(by_link.picoseconds, 6'000'000);  // no rate for links with local copies: the rate without them
  EXPECT_EQ(by_link.bound, Bound::link);
}

TEST(Predict, MemoryReadsWhatIsSentAndWritesWhatArrives) {
  const Load::Bytes five_thousand{{{long_rows, 16}, 5000}};
  const auto with = [&](const Load::Bytes& out, const Load::Bytes& in) {
    return predicted({.local = five_thousand, .out = out, .in = in}).picoseconds;
  };
  EXPECT_EQ(with(thousand, {{{long_rows, 16}, 500}}), 8'000'000);
  EXPECT_EQ(with({{{long_rows, 16}, 500}}, thousand), 8'000'000);
  EXPECT_EQ(with({{{long_rows, 4}, 1000}}, {}), 8'000'000) << "whatever the words that cross the link";
  // Packed rows are short ones in memory, which take three times as long.
  EXPECT_EQ(with({{{packed_rows, 4}, 100}}, {}), 2'000'000 + 5'000'000 + 300'000);
}

TEST(Predict, TheBusierDirectionOfALinkCounts) {
  EXPECT_EQ(predicted({.out = thousand, .in = {{{long_rows, 16}, 3000}}}).picoseconds, 5'000'000);
  EXPECT_EQ(predicted({.in = thousand}).picoseconds, 3'000'000);
}

TEST(Predict, ThereIsALeastTime) {
  const Prediction small = predicted({.out = {{{long_rows, 16}, 8}}});
  EXPECT_EQ(small.picoseconds, 2'500'000);
  EXPECT_EQ(small.bound, Bound::least);
  EXPECT_EQ(predicted({}).picoseconds, 0);
}

TEST(Predict, NarrowWordsLieOnALineOverOneByWord) {
  std::vector<ExchangeRate> all = rates();
  all.push_back({link, long_rows, false, 4, 1e9 / 4, 2e-6, 2.5e-6});
  const Predictor predictor(machine_of(two, all));
  const auto nanoseconds = [&](int word) {
    return (predictor.predict(Load{.out = {{{long_rows, word}, 1000}}}).picoseconds - 2'000'000) / 1'000'000;
  };
  EXPECT_EQ(nanoseconds(16), 1);
  EXPECT_EQ(nanoseconds(8), 2);
  EXPECT_EQ(nanoseconds(4), 4);
  EXPECT_EQ(nanoseconds(2), 8);
  EXPECT_EQ(nanoseconds(1), 16);
  // If narrow words were measured to be faster, they count as fast as wide ones, except for the measured size itself.
  all.back().bandwidth = 4e9;
  EXPECT_EQ(Predictor(machine_of(two, all)).predict(Load{.out = {{{long_rows, 8}, 1000}}}).picoseconds, 3'000'000);
}

TEST(Predict, ADomainTakesAsLongAsItsSlowestDevice) {
  // 5 planes are cut 2 + 3; each sends and receives 2 faces of 32 x 2 cells.
  const auto g = geometry_of({32, 2, 5}, two, Stencil::box(0, 1, 1), {field_of(Element::f32)});
  // (y, z) edges are not local: they cross too, 4 rows of 128 bytes a side.
  const Predictor predictor(machine_of(two, rates()));
  const Load load = load_of(g, subdomain_id(1), predictor.tuning());
  EXPECT_EQ(load.local.at({long_rows, 16}), 2 * 3 * 128);
  EXPECT_EQ(load.out.at({long_rows, 16}), 2 * (2 + 2) * 128);
  EXPECT_EQ(predictor.predict(g).picoseconds, 2'000'000 + 2 * (3 + 4) * 128 * 1000);
  // A plan with much more local work.
  const auto high = geometry_of({32, 2, 101}, two, Stencil::box(0, 1, 1), {field_of(Element::f32)});
  EXPECT_EQ(predictor.predict(high).picoseconds, 2'000'000 + 2 * (51 + 4) * 128 * 1000);
  EXPECT_EQ(predictor.predict(high).bound, Bound::local);
}

TEST(Predict, ANodesDevicesShareItsNetwork) {
  const Grids grids{.nodes = {1, 1, 2}, .devices = {1, 2, 1}};
  machine::MachineMap map = machine_of(grids, rates());
  map.network = {1e9, 3e-6};
  const auto g = geometry_of({32, 4, 8}, grids, Stencil::box(0, 0, 1), {field_of(Element::f32)});
  const Prediction prediction = Predictor(map).predict(g);
  EXPECT_EQ(prediction.picoseconds, 3'000'000 + 2 * 4 * 128 * 1000);  // 2 faces of 32 x 4 cells
  EXPECT_EQ(prediction.bound, Bound::network);
  EXPECT_EQ(traffic_of(g).off_node, 2 * 2 * 4 * 128);
  EXPECT_EQ(traffic_of(g).most_sent, 2 * 2 * 128);
}

TEST(Predict, OfUnlikeNodesTheSlowerOneCounts) {
  const Grids grids{.nodes = {1, 1, 2}, .devices = {1, 1, 2}};
  machine::MachineMap map = machine_of(grids, rates());
  map.types.push_back(map.types[0]);
  for (ExchangeRate& rate : map.types[1].exchange_rates) rate.bandwidth /= 2;
  const Load load{.out = thousand};
  EXPECT_EQ(Predictor(map).predict(load).picoseconds, 3'000'000);  // no node is of that type
  map.nodes[1].type = 1;
  EXPECT_EQ(Predictor(map).predict(load).picoseconds, 4'000'000);
}

TEST(Predict, SaysWhyItCannot) {
  const Predictor without(machine_of(two, {}));
  EXPECT_THAT(without.why_not(), HasSubstr("has no exchange rates; 'halocline machine --measure' finds them"));
  EXPECT_THROW(static_cast<void>(without.predict(Load{})), InvalidArgument);
  std::vector<ExchangeRate> all = rates();
  std::erase_if(all, [](const ExchangeRate& rate) { return rate.path == link; });
  EXPECT_THAT(Predictor(machine_of(two, all)).why_not(), HasSubstr("has no exchange rate for link, long rows"));
  EXPECT_EQ(Predictor(machine_of({}, all)).why_not(), "");  // one device has no links
  EXPECT_EQ(Predictor(machine_of({.nodes = {2, 1, 1}}, all)).why_not(), "");
  machine::MachineMap shared = machine_of({}, all);
  shared.ranks.push_back(shared.ranks.front());  // two subdomains, so there may be messages
  EXPECT_THAT(Predictor(shared).why_not(), HasSubstr("has no exchange rate for link"));
}

/// The prediction for representative nodes equals the prediction for all nodes.
TEST(Predict, IsTheSameAsOverAllSubdomains) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  int unlike = 0;
  for (int i = 0; i < test::some_of(200); ++i) {
    Grids grids;
    Vec3 extent;
    Boundaries boundaries = all_periodic;
    for (int dim = 0; dim < 3; ++dim) {
      grids.nodes[dim] = 1 + below(4);
      grids.devices[dim] = 1 + below(2);
      extent[dim] = grids.nodes[dim] * grids.devices[dim] * (3 + below(20)) + below(8);
      if (below(2) == 0) boundaries[static_cast<std::size_t>(dim)] = Boundary::open;
    }
    std::vector<FieldDescriptor> fields{field_of(Element::f32), field_of(Element::f64)};
    fields[1].staggered = {true, false, true};
    const auto g = geometry_of(extent, grids, Stencil::per_side({1, 2, 0}, {3, 1, 2}), fields, boundaries);
    machine::MachineMap map = machine_of(grids, rates());
    map.types.front().exchange_rates.push_back({link, short_rows, true, 4, 1e8, 2e-6, 0});
    map.types.front().exchange_rates.push_back({local, long_rows, true, 4, 3e8, 2e-6, 0});
    if (i % 2 == 0) map.types.front().exchange_rates.push_back({link, HaloRows::packets, true, 16, 5e8, 1e-6, 0});
    map.network = {2e9, 1e-6};
    const Predictor predictor(map);

    std::int64_t slowest = 0;
    std::int64_t off_node = 0;
    std::int64_t most = 0;
    std::vector<std::int64_t> out(static_cast<std::size_t>(g.partition.nodes()));
    std::vector<std::int64_t> in(out.size());
    for (std::int64_t s = 0; s < g.partition.size(); ++s) {
      const Load load = load_of(g, subdomain_id(s), predictor.tuning());
      slowest = std::max(slowest, predictor.predict(load).picoseconds);
      off_node += load.network_out;
      most = std::max(most, load.sent);
      const auto node = static_cast<std::size_t>(g.partition.node_part_of(subdomain_id(s)));
      out[node] += load.network_out;
      in[node] += load.network_in;
    }
    for (std::size_t n = 0; n < out.size(); ++n) {
      const std::int64_t bytes = std::max(out[n], in[n]);
      if (bytes > 0) slowest = std::max(slowest, 1'000'000 + bytes * 500);
      unlike += out[n] != out[0] ? 1 : 0;
    }
    ASSERT_EQ(predictor.predict(g).picoseconds, slowest) << i;
    ASSERT_EQ(traffic_of(g).off_node, off_node) << i;
    ASSERT_EQ(traffic_of(g).most_sent, most) << i;
  }
  EXPECT_GT(unlike, 100);
}

}  // namespace
}  // namespace halocline::model
