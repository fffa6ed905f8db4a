// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "halocline/error.hpp"
#include "machine/machine_map.hpp"
#include "machine/names.hpp"
#include "machine/synthetic.hpp"
#include "support/random_machine.hpp"

namespace halocline::machine {
namespace {

using testing::HasSubstr;

/// Two types of node; vertex 2 is device 0 of each.
MachineMap sound() {
  MachineMap map = synthetic({2, 2, 2});
  map.types.push_back(map.types[0]);
  map.nodes[1].type = 1;
  map.types[0].measurements.push_back({0, 1, "copy", 1e9, 1e-6});
  map.types[0].exchange_rates.push_back({HaloPath::local, HaloRows::short_rows, false, 16, 1e9, 1e-6, 1e-6});
  return map;
}

struct Break {
  const char* what;  ///< must be part of the message
  std::function<void(MachineMap&)> how;
};

TEST(MachineCheck, NamesTheFirstEntryThatDoesNotFit) {
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Break> breaks{
      {"name is 'a\\xffb'; allowed is UTF-8 text",
       [](MachineMap& m) {
         m.name =
             "a\xff"
             "b";
       }},
      {"types[1].vertices[0].name is '\\xc3'", [](MachineMap& m) { m.types[1].vertices[0].name = "\xc3"; }},
      {"nodes[1].name is '\\xed\\xa0\\x80'", [](MachineMap& m) { m.nodes[1].name = "\xed\xa0\x80"; }},
      {"sources[1] is '\\x00'",
       [](MachineMap& m) {
         m.sources = {"assumed", std::string(1, '\0')};
       }},
      {"types[0].links[1].bandwidth is 0;", [](MachineMap& m) { m.types[0].links[1].bandwidth = 0; }},
      {"types[0].links[1].bandwidth is inf;", [&](MachineMap& m) { m.types[0].links[1].bandwidth = infinite; }},
      {"types[1].links[2].bandwidth is nan;", [&](MachineMap& m) { m.types[1].links[2].bandwidth = nan; }},
      {"types[1].links[2].latency is -1;", [](MachineMap& m) { m.types[1].links[2].latency = -1; }},
      {"types[0].links[0].a is -1;", [](MachineMap& m) { m.types[0].links[0].a = -1; }},
      {"types[0].links[0].b is 5; allowed is 0 to 4", [](MachineMap& m) { m.types[0].links[0].b = 5; }},
      {"types[0].links[1].b is 2;", [](MachineMap& m) { m.types[0].links[1].b = m.types[0].links[1].a; }},
      {"types[0].vertices[0].cores is -1", [](MachineMap& m) { m.types[0].vertices[0].cores = -1; }},
      {"types[0].vertices[2].memory_bytes is -1", [](MachineMap& m) { m.types[0].vertices[2].memory_bytes = -1; }},
      {"types[0].vertices[0].load_store_domain is 0",
       [](MachineMap& m) { m.types[0].vertices[0].load_store_domain = 0; }},
      {"types[0].vertices[3].load_store_domain is -2",
       [](MachineMap& m) { m.types[0].vertices[3].load_store_domain = -2; }},
      {"types[0].measurements[0].from is 2", [](MachineMap& m) { m.types[0].measurements[0].from = 2; }},
      {"types[0].measurements[0].to is -2", [](MachineMap& m) { m.types[0].measurements[0].to = -2; }},
      {"types[0].measurements[0].to is -1; allowed is 0 to 1",
       [](MachineMap& m) { m.types[0].measurements[0].from = m.types[0].measurements[0].to = Measurement::host; }},
      {"types[0].measurements[0].bytes is -1", [](MachineMap& m) { m.types[0].measurements[0].bytes = -1; }},
      {"types[0].measurements[0].numa is 0; allowed is none where neither end is the host",
       [](MachineMap& m) { m.types[0].measurements[0].numa = 0; }},
      {"types[0].measurements[0].numa is 9; allowed is 0 to 4",
       [](MachineMap& m) {
         m.types[0].measurements[0].to = Measurement::host;
         m.types[0].measurements[0].numa = 9;
       }},
      {"types[0].measurements[0].numa is 0; allowed is the vertex of a NUMA node",
       [](MachineMap& m) {
         m.types[0].measurements[0].from = Measurement::host;
         m.types[0].measurements[0].numa = 0;
       }},
      {"types[0].measurements[0].method is ''", [](MachineMap& m) { m.types[0].measurements[0].method = ""; }},
      {"types[0].measurements[0].bandwidth is 0", [](MachineMap& m) { m.types[0].measurements[0].bandwidth = 0; }},
      {"types[0].measurements[1] is a second one of 'copy' from 0 to 1",
       [](MachineMap& m) { m.types[0].measurements.push_back(m.types[0].measurements[0]); }},
      {"types[0].exchange_rates[0].bandwidth is 0", [](MachineMap& m) { m.types[0].exchange_rates[0].bandwidth = 0; }},
      {"types[0].exchange_rates[0].latency is -1", [](MachineMap& m) { m.types[0].exchange_rates[0].latency = -1; }},
      {"types[0].exchange_rates[0].least is -1; allowed is a finite number, 0 or more",
       [](MachineMap& m) { m.types[0].exchange_rates[0].least = -1; }},
      {"types[0].exchange_rates[0].word_bytes is 3; allowed is 1, 2, 4, 8 or 16",
       [](MachineMap& m) { m.types[0].exchange_rates[0].word_bytes = 3; }},
      {"types[0].exchange_rates[0].rows is packed; allowed is long or short where the path is local",
       [](MachineMap& m) { m.types[0].exchange_rates[0].rows = HaloRows::packed_rows; }},
      {"types[0].exchange_rates[0].rows is packets; allowed is long or short where the path is local",
       [](MachineMap& m) { m.types[0].exchange_rates[0].rows = HaloRows::packets; }},
      {"types[0].exchange_rates[1] is a second one of local, short rows",
       [](MachineMap& m) { m.types[0].exchange_rates.push_back(m.types[0].exchange_rates[0]); }},
      {"types[1].links leave device 0 without a path to device 1", [](MachineMap& m) { m.types[1].links.clear(); }},
      {"nodes is empty", [](MachineMap& m) { m.nodes.clear(); }},
      {"nodes[1].type is 2; allowed is 0 to 1", [](MachineMap& m) { m.nodes[1].type = 2; }},
      {"nodes[0].device_uuids is 1 entries", [](MachineMap& m) { m.nodes[0].device_uuids = {"a"}; }},
      {"nodes[0].device_uuids[1] is 'a'",
       [](MachineMap& m) {
         m.nodes[0].device_uuids = {"a", "a"};
       }},
      {"nodes[0].rack is -2", [](MachineMap& m) { m.nodes[0].rack = -2; }},
      {"ranks[3].node is 2; allowed is 0 to 1", [](MachineMap& m) { m.ranks[3].node = node_id(2); }},
      {"ranks[2].node is -1", [](MachineMap& m) { m.ranks[2].node = node_id(); }},
      {"ranks[1].devices[0] is 2; allowed is 0 to 1", [](MachineMap& m) { m.ranks[1].devices[0] = device_id(2); }},
      {"ranks[1].devices[1] is 1; allowed is each device once",
       [](MachineMap& m) { m.ranks[1].devices.emplace_back(1); }},
      {"network.bandwidth is 0", [](MachineMap& m) { m.network.bandwidth = 0; }},
      {"software.mpi_copy is -1; allowed is a finite number, 0 or more",
       [](MachineMap& m) { m.software.mpi_copy = -1; }},
      {"software.mpi_device_latency is nan", [&](MachineMap& m) { m.software.mpi_device_latency = nan; }},
      {"network.latency is nan", [&](MachineMap& m) { m.network.latency = nan; }},
      {"network.fabric.rails is 0; allowed is 1 to 100000", [](MachineMap& m) { m.network.fabric.rails = 0; }},
      {"network.fabric.rails is 2; allowed is 1, or no more than types[0] has network cards (1)",
       [](MachineMap& m) { m.network.fabric.rails = 2; }},
      {"network.fabric.levels is empty; allowed is one level or more",
       [](MachineMap& m) { m.network.fabric.shape = FatTree{}; }},
      {"network.fabric.levels[1].children is 0; allowed is 1 to 100000",
       [](MachineMap& m) {
         m.network.fabric.shape = FatTree{{{1, {1, 0}}, {0, {1, 0}}}};
       }},
      {"network.fabric.levels[0].bandwidth is 0",
       [](MachineMap& m) {
         m.network.fabric.shape = FatTree{{{1, {}}}};
       }},
      {"network.fabric.nodes_per_router is -1",
       [](MachineMap& m) {
         m.network.fabric.shape = Dragonfly{-1, 1, 2, 1, {1, 0}, {1, 0}};
       }},
      {"network.fabric.routers_per_group is 0",
       [](MachineMap& m) {
         m.network.fabric.shape = Dragonfly{1, 0, 2, 1, {1, 0}, {1, 0}};
       }},
      {"network.fabric.groups is 100001;",
       [](MachineMap& m) {
         m.network.fabric.shape = Dragonfly{1, 1, 100'001, 1, {1, 0}, {1, 0}};
       }},
      {"network.fabric.links_per_pair is 0",
       [](MachineMap& m) {
         m.network.fabric.shape = Dragonfly{1, 1, 2, 0, {1, 0}, {1, 0}};
       }},
      {"network.fabric.local.latency is -1",
       [](MachineMap& m) {
         m.network.fabric.shape = Dragonfly{1, 1, 2, 1, {1, -1}, {1, 0}};
       }},
      {"network.fabric.global.bandwidth is 0",
       [](MachineMap& m) {
         m.network.fabric.shape = Dragonfly{1, 1, 2, 1, {1, 0}, {0, 0}};
       }},
      {"nodes is 2 entries; allowed is 1 at most, as many as network.fabric has places",
       [](MachineMap& m) {
         m.network.fabric.shape = Dragonfly{1, 1, 1, 1, {1, 0}, {1, 0}};
       }},
      {"network.fabric.dimensions is empty", [](MachineMap& m) { m.network.fabric.shape = Torus{}; }},
      {"network.fabric.nodes_per_router is 0",
       [](MachineMap& m) {
         m.network.fabric.shape = Torus{0, {{2, {1, 0}}}};
       }},
      {"network.fabric.dimensions[1].length is 0",
       [](MachineMap& m) {
         m.network.fabric.shape = Torus{1, {{2, {1, 0}}, {0, {1, 0}}}};
       }},
      {"network.fabric.dimensions[0].latency is nan",
       [&](MachineMap& m) {
         m.network.fabric.shape = Torus{1, {{2, {1, nan}}}};
       }},
      {"nodes is 2 entries; allowed is 1 at most",
       [](MachineMap& m) {
         m.network.fabric.shape = Torus{1, {{1, {1, 0}}}};
       }},
      {"network.fabric is too large; allowed is at most 1000000000 places for nodes",
       [](MachineMap& m) {
         m.network.fabric.shape = Torus{2, {{1000, {1, 0}}, {1000, {1, 0}}, {1000, {1, 0}}}};
       }},
      {"network.fabric.dimensions[0].length is 1001; allowed is 1 to 1000",
       [](MachineMap& m) {
         m.network.fabric.shape = Torus{1, {{1001, {1, 0}}}};
       }},
      {"network.fabric.dimensions is 9 entries; allowed is at most 8",
       [](MachineMap& m) {
         m.network.fabric.shape = Torus{1, std::vector<TorusDimension>(9, {2, {1, 0}})};
       }},
      {"network.fabric.levels is 9 entries; allowed is at most 8",
       [](MachineMap& m) {
         m.network.fabric.shape = FatTree{std::vector<FatTreeLevel>(9, {2, {1, 0}})};
       }},
      {"network.fabric is 6000000 links in all; allowed is at most 4194304",
       [](MachineMap& m) {
         m.network.fabric.shape = Torus{1, {{1000, {1, 0}}, {1000, {1, 0}}, {1, {1, 0}}}};
       }},
      {"name is 257 bytes long; allowed is at most 256", [](MachineMap& m) { m.name = std::string(257, 'x'); }},
      {"types[1].name is 257 bytes long", [](MachineMap& m) { m.types[1].name = std::string(257, 'x'); }},
      {"types[0].vertices[1].name is 257 bytes long",
       [](MachineMap& m) { m.types[0].vertices[1].name = std::string(257, 'x'); }},
      {"nodes[0].name is 257 bytes long", [](MachineMap& m) { m.nodes[0].name = std::string(257, 'x'); }},
      {"nodes[0].device_uuids[1] is 257 bytes long",
       [](MachineMap& m) {
         m.nodes[0].device_uuids = {"a", std::string(257, 'x')};
       }},
      {"types[0].measurements[0].method is 257 bytes long",
       [](MachineMap& m) { m.types[0].measurements[0].method = std::string(257, 'x'); }},
      {"types is 257 entries; allowed is at most 256", [](MachineMap& m) { m.types.resize(257); }},
      {"nodes is 262145 entries; allowed is at most 262144",
       [](MachineMap& m) { m.nodes.resize(262'145, m.nodes[0]); }},
      {"nodes is 262146 devices in all; allowed is at most 262144",
       [](MachineMap& m) { m.nodes.resize(131'073, m.nodes[0]); }},
      {"ranks is 1000001 entries; allowed is at most 1000000", [](MachineMap& m) { m.ranks.resize(1'000'001); }},
      {"types[0].vertices is 4097 entries; allowed is at most 4096",
       [](MachineMap& m) { m.types[0].vertices.resize(4097, m.types[0].vertices[0]); }},
      {"types[0].links is 16385 entries; allowed is at most 16384",
       [](MachineMap& m) { m.types[0].links.resize(16'385, m.types[0].links[0]); }},
      {"types[0].vertices is 257 devices; allowed is at most 256",
       [](MachineMap& m) {
         const Vertex device = m.types[0].vertices[static_cast<std::size_t>(m.types[0].device_vertices()[0])];
         m.types[0].vertices.insert(m.types[0].vertices.end(), 255, device);
       }},
      {"types[0].vertices[0].cores is 2049; allowed is 0 to 2048",
       [](MachineMap& m) { m.types[0].vertices[0].cores = 2049; }},
      {"types[0].vertices is 2050 cores; allowed is at most 2048",
       [](MachineMap& m) {
         m.types[0].vertices[0].cores = 1025;
         m.types[0].vertices.push_back(m.types[0].vertices[0]);
       }},
      {"nodes is 18429952 cores in all; allowed is at most 16777216",
       [](MachineMap& m) {
         m.types[0].vertices[0].cores = 2048;
         m.nodes.resize(9000, m.nodes[0]);
       }},
      {"network.bandwidth is 9.2e+18; allowed is a finite number above 0, at most 1e+18",
       [](MachineMap& m) { m.network.bandwidth = 9.2e18; }},
      {"network.latency is 2000000; allowed is a finite number, 0 or more, at most 1000000",
       [](MachineMap& m) { m.network.latency = 2e6; }},
  };
  ASSERT_NO_THROW(sound().check());
  for (const Break& one : breaks) {
    MachineMap map = sound();
    one.how(map);
    try {
      map.check();
      ADD_FAILURE() << "not refused: " << one.what;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(one.what));
    }
  }
}

TEST(MachineCheck, UuidsMayBeUnknownOneByOne) {
  MachineMap map = sound();
  map.nodes[0].device_uuids = {"", ""};
  EXPECT_NO_THROW(map.check());
}

TEST(MachineMap, AnswersForNodesThatAreThere) {
  MachineMap map = sound();
  EXPECT_EQ(map.devices_of(node_id(1)), 2);
  EXPECT_EQ(map.device_count(), 4);
  EXPECT_THROW(static_cast<void>(map.type_of(node_id(2))), InvalidArgument);
  EXPECT_THROW(static_cast<void>(map.type_of(node_id())), InvalidArgument);
  map.nodes[1].type = 7;
  EXPECT_THROW(static_cast<void>(map.type_of(node_id(1))), InvalidArgument);
}

TEST(MachineMap, LoadStoreDomainsEndAtTheNodeUnlessARackJoinsThem) {
  MachineMap map = sound();
  const auto share = [&](int node_a, int a, int node_b, int b) {
    return map.share_load_store(node_id(node_a), device_id(a), node_id(node_b), device_id(b));
  };
  EXPECT_TRUE(share(0, 0, 0, 1));
  EXPECT_FALSE(share(0, 0, 1, 0)) << "number 0 of another node is another domain";
  map.nodes[0].rack = map.nodes[1].rack = 4;
  EXPECT_TRUE(share(0, 0, 1, 1));
  map.nodes[1].rack = 5;
  EXPECT_FALSE(share(0, 0, 1, 1));
  map.types[0].vertices[2].load_store_domain = 1;
  EXPECT_FALSE(share(0, 0, 0, 1));
  map.types[0].vertices[2].load_store_domain = map.types[0].vertices[3].load_store_domain = -1;
  EXPECT_FALSE(share(0, 0, 0, 1)) << "-1 is no domain";
  EXPECT_THROW(share(0, 2, 0, 1), InvalidArgument);
}

TEST(MachineMap, KindsHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const VertexKind kind : all_vertex_kinds) names.insert(to_string(kind));
  EXPECT_EQ(names.size(), all_vertex_kinds.size());
  names.clear();
  for (const LinkKind kind : all_link_kinds) names.insert(to_string(kind));
  EXPECT_EQ(names.size(), all_link_kinds.size());
}

}  // namespace
}  // namespace halocline::machine
