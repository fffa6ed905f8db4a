// SPDX-License-Identifier: BSD-3-Clause
// Values that must be the same on all ranks: if they differ, all ranks get one error that names the option and the
// values.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "domain/internals.hpp"
#include "exchange/exchange.hpp"
#include "machine/machine_map.hpp"
#include "machine/synthetic.hpp"
#include "ranks.hpp"
#include "ways.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;

/// The domain that a rank requests.
struct Asked {
  Vec3 extent{16, 16, 16};
  Stencil stencil = Stencil::box(2);
  std::vector<FieldDescriptor> fields;
  DomainOptions options;
  machine::MachineMap machine;
  bool gives_machine = true;
};

struct Difference {
  const char* name;
  std::function<void(Asked&)> change;  ///< on one rank of three
  std::string text;                    ///< if that is rank 2
};

FieldDescriptor field(const char* name) {
  FieldDescriptor descriptor;
  descriptor.name = name;
  return descriptor;
}

std::vector<Difference> differences() {
  using exchange::Messages;
  return {
      {"extent", [](Asked& a) { a.extent.z = 17; }, "extent: rank 0 has 16 x 16 x 16, rank 2 has 16 x 16 x 17"},
      {"radius", [](Asked& a) { a.stencil = Stencil::box(1); }, "radius: rank 0 has 2, rank 2 has 1"},
      {"field_type", [](Asked& a) { a.fields[0].element = Element::f64; }, "field 'u': rank 0 has f32, rank 2 has f64"},
      {"field_buffers", [](Asked& a) { a.fields[0].buffers = 2; },
       "field 'u': rank 0 has f32, rank 2 has f32, 2 buffers"},
      {"field_components", [](Asked& a) { a.fields[0].components = 3; },
       "field 'u': rank 0 has f32, rank 2 has f32, 3 components"},
      {"field_directions", [](Asked& a) { a.fields[0].component_directions = {Directions(1)}; },
       "field 'u': rank 0 has f32, rank 2 has f32, components by direction"},
      {"field_wire", [](Asked& a) { a.fields[0].wire = Element::bf16; },
       "field 'u': rank 0 has f32, rank 2 has f32, sent as bf16"},
      {"field_radius", [](Asked& a) { a.fields[0].stencil = Stencil::star(1); }, "field 'u': rank 0 has f32"},
      {"field_staggered", [](Asked& a) { a.fields[0].staggered[1] = true; }, "staggered in y"},
      {"field_missing", [](Asked& a) { a.fields.pop_back(); },
       "fields: rank 0 has u v, rank 2 has u; field 'v': rank 0 has f32, rank 2 has none"},
      {"field_more", [](Asked& a) { a.fields.push_back(field("w")); }, "field 'w': rank 0 has none, rank 2 has f32"},
      {"boundaries", [](Asked& a) { a.options.boundaries[1] = Boundary::open; },
       "boundaries: rank 0 has periodic periodic periodic, rank 2 has periodic open periodic"},
      {"steps_per_exchange", [](Asked& a) { a.options.steps_per_exchange = 2; },
       "steps_per_exchange: rank 0 has 1, rank 2 has 2"},
      {"partition", [](Asked& a) { a.options.partition.method = partition::Method::z_order; },
       "partition: rank 0 has automatic, rank 2 has z"},
      {"node_grid",
       [](Asked& a) {
         a.options.partition.node_grid = Vec3{1, 1, 1};
       },
       "node_grid: rank 0 has unset, rank 2 has 1 x 1 x 1"},
      {"device_grid",
       [](Asked& a) {
         a.options.partition.device_grid = Vec3{3, 1, 1};
       },
       "device_grid: rank 0 has unset"},
      {"cuts",
       [](Asked& a) {
         a.options.partition.cuts = {{{0, 4, 8, 16}, {0, 16}, {0, 16}}};
       },
       "cuts: rank 0 has unset, rank 2 has x: 0 4 8 16 y: 0 16 z: 0 16"},
      {"weights",
       [](Asked& a) {
         a.options.partition.weights = {1, 2, 1.5};
       },
       "weights: rank 0 has unset, rank 2 has 1 2 1.5"},
      {"placement", [](Asked& a) { a.options.placement.method = placement::Method::trivial; },
       "placement: rank 0 has automatic, rank 2 has trivial"},
      {"owners",
       [](Asked& a) {
         a.options.placement.owners = {{rank_id(2), 0}, {rank_id(0), 0}, {rank_id(1), 0}};
       },
       "owners: rank 0 has unset, rank 2 has rank:device 2:0 0:0 1:0"},
      {"seed", [](Asked& a) { a.options.placement.seed = 9; }, "seed of the placement: rank 0 has 0, rank 2 has 9"},
      {"ranks_per_node", [](Asked& a) { a.options.machine.ranks_per_node = 1; },
       "ranks_per_node: rank 0 has unset, rank 2 has 1"},
      {"transports", [](Asked& a) { a.options.routing.policy.order = {routing::Transport::mpi_staged}; },
       "transports: rank 0 has self,direct,peer_copy,ipc_copy,mpi_device,mpi_staged, rank 2 has mpi_staged"},
      {"transport_of_a_pair",
       [](Asked& a) {
         a.options.routing.policy.exceptions = {{subdomain_id(0), subdomain_id(1), routing::Transport::mpi_staged}};
       },
       "0->1:mpi_staged"},
      {"measurements", [](Asked& a) { a.options.routing.policy.use_measurements = false; }, "without measurements"},
      {"staging_chunk", [](Asked& a) { a.options.tuning.staging_chunk_bytes = 1000; },
       "tuning.staging_chunk_bytes: rank 0 has 4194304, rank 2 has 1000"},
      {"zero_copy", [](Asked& a) { a.options.tuning.zero_copy_at_most_bytes = 1; }, "tuning.zero_copy_at_most_bytes"},
      {"short_row", [](Asked& a) { a.options.tuning.short_row_bytes = 1; }, "tuning.short_row_bytes"},
      {"pack_from", [](Asked& a) { a.options.tuning.pack_short_rows_from_bytes = 1; },
       "tuning.pack_short_rows_from_bytes"},
      {"piece", [](Asked& a) { a.options.tuning.packed_piece_bytes = 1; }, "tuning.packed_piece_bytes"},
      {"domains", [](Asked& a) { a.options.tuning.domains_at_once = 5; }, "tuning.domains_at_once"},
      {"packets", [](Asked& a) { a.options.tuning.packets_at_most_bytes = 1; }, "tuning.packets_at_most_bytes"},
      {"messages", [](Asked& a) { a.options.routing.messages = Messages::by_direction; },
       "messages: rank 0 has by_neighbour, rank 2 has by_direction"},
      {"net_engine", [](Asked& a) { a.options.routing.net_engine = routing::NetEngine::ucx; },
       "net_engine: rank 0 has auto, rank 2 has ucx"},
      {"validate_ordering", [](Asked& a) { a.options.debug.validate_ordering = true; },
       "validate_ordering: rank 0 has false, rank 2 has true"},
      {"timeout", [](Asked& a) { a.options.timeout = 15s; }, "timeout: rank 0 has 20 s, rank 2 has 15 s"},
      {"no_map", [](Asked& a) { a.gives_machine = false; }, "machine.map: rank 0 has given, rank 2 has unset"},
      {"machine", [](Asked& a) { a.machine.network.latency *= 2; },
       "machine map: rank 0 has 'three' with 1 nodes and 3 ranks (digest "},
      {"several",
       [](Asked& a) {
         a.extent.x = 20;
         a.stencil = Stencil::box(1);
         a.options.routing.messages = Messages::by_direction;
         a.options.debug.validate_ordering = true;
       },
       "messages: rank 0 has by_neighbour, rank 2 has by_direction; and 1 more; allowed is the same on all ranks"},
  };
}

/// What the error must contain if `odd` is the rank that differs.
std::vector<std::string> expected(const Difference& difference, std::int64_t odd) {
  std::string text = difference.text;
  if (odd == 2) return {text, "rank 2 has "};
  if (odd == 0) {
    const auto end =
        text.find(':');  // of the setting's name, if the text begins with it: values come in the other order
    return {text.find(" has ") == std::string::npos ? text : text.substr(0, end + 1), ": rank 0 has ",
            ", ranks 1, 2 have "};
  }
  for (auto at = text.find("rank 2"); at != std::string::npos; at = text.find("rank 2")) text.replace(at, 6, "rank 1");
  return {text, "rank 1 has "};
}

class Agreement : public testing::TestWithParam<std::tuple<Difference, std::int64_t>> {};

TEST_P(Agreement, what_differs_is_named_with_the_values) {
  const auto& [difference, odd] = GetParam();
  const auto all = outcomes(3, [&](comm::RankGroup& comm) {
    Asked asked;
    asked.fields = {field("u"), field("v")};
    asked.options.timeout = 20s;
    asked.machine = machine::synthetic({.nodes = 1, .devices_per_node = 3, .ranks_per_node = 3});
    asked.machine.name = "three";
    if (comm.rank() == rank_id(odd)) difference.change(asked);
    if (asked.gives_machine) asked.options.machine.map = asked.machine;
    Domain domain(asked.extent, asked.stencil, comm, asked.options);
    for (const auto& descriptor : asked.fields) domain.add_field(descriptor);
    domain.plan();
  });
  for (const Outcome& outcome : all) {
    EXPECT_EQ(outcome.kind, ErrorKind::invalid_argument);
    EXPECT_EQ(outcome.text, all[0].text);
    EXPECT_LT(outcome.took, 10s);
  }
  for (const std::string& part : expected(difference, odd)) EXPECT_THAT(all[0].text, testing::HasSubstr(part));
  EXPECT_THAT(all[0].text, testing::EndsWith("; allowed is the same on all ranks"));
}

INSTANTIATE_TEST_SUITE_P(values, Agreement,
                         testing::Combine(testing::ValuesIn(differences()), testing::Values(0, 1, 2)),
                         [](const auto& param) {
                           return fmt::format("{}_on_rank_{}", std::get<0>(param.param).name, std::get<1>(param.param));
                         });

/// Exchanges that differ: the change on rank 1, and the possible errors of either side.
struct Exchanged {
  const char* name;
  std::function<void(Domain&, std::vector<Transfer>&)> change;
  std::vector<std::string> texts;  ///< of either side
};

constexpr field_id u(0);
constexpr field_id v(1);
constexpr field_id w(2);

std::vector<Exchanged> exchanged() {
  return {
      {"swap",
       [](Domain& domain, auto&) { domain.swap(u); },
       {"the other side exchanges 'u' in buffer 0, this side in buffer 1",
        "the other side exchanges 'u' in buffer 1, this side in buffer 0"}},
      {"two_swaps",
       [](Domain& domain, auto&) {
         domain.swap(u);
         domain.swap(v);
       },
       {"'u' in buffer 0, this side in buffer 1; the other side exchanges 'v' in buffer 0, this side in buffer 1",
        "'u' in buffer 1, this side in buffer 0; the other side exchanges 'v' in buffer 1, this side in buffer 0"}},
      {"swaps_of_all",
       [](Domain& domain, auto&) {
         for (const field_id field : {u, v, w}) domain.swap(field);
       },
       {"the other side exchanges 'w' in buffer 0, this side in buffer 1",
        "the other side exchanges 'w' in buffer 1, this side in buffer 0"}},
      {"depth",
       [](Domain&, auto& transfers) { transfers[1].depth = 1; },
       {"the other side exchanges the whole halo of 'v', this side depth 1",
        "the other side exchanges depth 1 of 'v', this side the whole halo"}},
      {"directions_of_several",
       [](Domain&, auto& transfers) {
         for (Transfer& transfer : transfers) transfer.directions.reset(3);
       },
       {"this side exchanges 'u' (buffer 0), 'v' (buffer 0), 'w' (buffer 0)",
        "this side exchanges 'u' (buffer 0, 25 of 26 directions), 'v' (buffer 0, 25 of 26 directions)"}},
  };
}

class Agreed : public testing::TestWithParam<std::tuple<Exchanged, routing::Transport>> {};

TEST_P(Agreed, exchanges_that_differ_are_named_by_field) {
  const auto& [exchanged, transport] = GetParam();
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    Domain domain({12, 12, 12}, Stencil::box(2), comm, options_with(nullptr, transport, 20s));
    for (const char* name : {"u", "v", "w"}) {
      FieldDescriptor descriptor = field(name);
      descriptor.buffers = 2;
      domain.add_field(descriptor);
    }
    domain.realize();
    std::vector<Transfer> transfers{{u}, {v}, {w}};
    domain.exchange(transfers);
    domain.synchronize();
    if (comm.rank() == rank_id(1)) exchanged.change(domain, transfers);
    domain.exchange(transfers);
    domain.synchronize();
  });
  std::vector<testing::Matcher<std::string>> allowed;
  for (const std::string& text : exchanged.texts) allowed.push_back(testing::HasSubstr(text));
  if (is_by_mpi(transport))
    allowed.push_back(testing::HasSubstr("bytes; expected were"));  // messages of other lengths are detected first
  EXPECT_THAT(all[0].text + all[1].text, testing::AnyOfArray(allowed));
  for (const Outcome& outcome : all) {
    EXPECT_NE(outcome.text, "");
    EXPECT_LT(outcome.took, 10s);
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, Agreed, testing::Combine(testing::ValuesIn(exchanged()), testing::ValuesIn(transports_between_ranks())),
    [](const auto& param) {
      return std::string(std::get<0>(param.param).name) + "_" + std::string(to_string(std::get<1>(param.param)));
    });

/// Options that ranks may choose individually.
TEST(Choice, what_may_differ_does) {
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.timeout = 20s;
    if (comm.rank() == rank_id(1)) {
      options.devices.per_rank = 2;
      options.devices.host_workers = 1;
      set_launch_threads(options, true);
      options.tuning.multiprocessors = 3;
      options.update = overlap::Update::in_place;
    }
    Domain domain({16, 16, 16}, Stencil::box(1), comm, options);
    domain.add_field(field("u"));
    domain.realize();
    domain.exchange();
    domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

}  // namespace
}  // namespace halocline::test
