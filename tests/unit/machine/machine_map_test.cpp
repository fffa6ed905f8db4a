// SPDX-License-Identifier: BSD-3-Clause
#include "machine/machine_map.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "halocline/error.hpp"
#include "machine/fabric/links.hpp"
#include "machine/interconnect.hpp"
#include "machine/names.hpp"
#include "machine/paths.hpp"
#include "support/error_of.hpp"

namespace halocline::machine {
namespace {

/// An entry of each kind.
MachineMap one_of_each() {
  MachineMap map;
  map.name = "two";
  map.types.push_back(
      {"node", {{VertexKind::device, "gpu", 1 << 20, 0, 0}}, {{0, 0, LinkKind::memory, 1e12, 0}}, {}, {}});
  map.types[0].measurements.push_back({0, 0, "copy", 1e12, 1e-6, Traffic::one_way, -1, 64});
  map.types[0].exchange_rates.push_back({HaloPath::local, HaloRows::long_rows, false, 16, 1e12, 1e-6, 2e-6});
  map.nodes.push_back({"a", 0, {"GPU-1"}, 0, 0});
  map.ranks.push_back({node_id(0), {device_id(0)}});
  map.sources = {"measured"};
  return map;
}

/// One change of a value that equals one_of_each() otherwise.
template <typename Value>
struct Difference {
  const char* what;
  std::function<void(Value&)> make;
};

template <typename Value>
void expect_each_to_count(const Value& before, const std::vector<Difference<Value>>& differences) {
  for (const Difference<Value>& difference : differences) {
    Value after = before;
    EXPECT_TRUE(after == before) << difference.what;
    difference.make(after);
    EXPECT_FALSE(after == before) << difference.what;
  }
}

TEST(MachineMap, DiffersFromAnotherByAnySingleEntry) {
  expect_each_to_count<MachineMap>(one_of_each(),
                                   {{"name", [](auto& m) { m.name = "three"; }},
                                    {"types", [](auto& m) { m.types.push_back(m.types[0]); }},
                                    {"nodes", [](auto& m) { m.nodes.push_back(m.nodes[0]); }},
                                    {"ranks", [](auto& m) { m.ranks.clear(); }},
                                    {"network.bandwidth", [](auto& m) { m.network.bandwidth /= 2; }},
                                    {"network.latency", [](auto& m) { m.network.latency /= 2; }},
                                    {"network.fabric.rails", [](auto& m) { m.network.fabric.rails = 2; }},
                                    {"network.fabric.shape", [](auto& m) { m.network.fabric.shape = FatTree{}; }},
                                    {"sources", [](auto& m) { m.sources[0] = "assumed"; }},
                                    {"node", [](auto& m) { m.nodes[0].name = "b"; }},
                                    {"type of a node", [](auto& m) { m.nodes[0].type = 1; }},
                                    {"device_uuids", [](auto& m) { m.nodes[0].device_uuids[0] = "GPU-2"; }},
                                    {"rack", [](auto& m) { m.nodes[0].rack = -1; }},
                                    {"port", [](auto& m) { m.nodes[0].port = 1; }},
                                    {"node of a rank", [](auto& m) { m.ranks[0].node = node_id(1); }},
                                    {"devices of a rank", [](auto& m) { m.ranks[0].devices = {device_id(1)}; }}});
}

TEST(MachineMap, DiffersByEachLimitOfSoftware) {
  expect_each_to_count<Software>({}, {{"mpi_copy", [](auto& s) { s.mpi_copy = 1; }},
                                      {"mpi_injection", [](auto& s) { s.mpi_injection = 1; }},
                                      {"mpi_latency", [](auto& s) { s.mpi_latency = 1; }},
                                      {"mpi_device_latency", [](auto& s) { s.mpi_device_latency = 1; }},
                                      {"mpi_overhead", [](auto& s) { s.mpi_overhead = 1; }},
                                      {"device_launch", [](auto& s) { s.device_launch = 1; }},
                                      {"one_core", [](auto& s) { s.one_core = true; }},
                                      {"mpi_serialises_streams", [](auto& s) { s.mpi_serialises_streams = true; }},
                                      {"serial_copies", [](auto& s) { s.serial_copies = true; }}});
  MachineMap map = one_of_each();
  map.software.serial_copies = true;
  EXPECT_FALSE(map == one_of_each());
}

// Nodes share a type only if nothing differs.
TEST(NodeType, DiffersFromAnotherByAnySingleEntry) {
  expect_each_to_count<NodeType>(one_of_each().types[0],
                                 {{"name", [](auto& t) { t.name = "fat node"; }},
                                  {"vertices", [](auto& t) { t.vertices.push_back(t.vertices[0]); }},
                                  {"links", [](auto& t) { t.links.clear(); }},
                                  {"measurements", [](auto& t) { t.measurements.clear(); }},
                                  {"exchange_rates", [](auto& t) { t.exchange_rates.clear(); }},
                                  {"kind of a vertex", [](auto& t) { t.vertices[0].kind = VertexKind::nic; }},
                                  {"name of a vertex", [](auto& t) { t.vertices[0].name = "other gpu"; }},
                                  {"memory_bytes", [](auto& t) { t.vertices[0].memory_bytes = 0; }},
                                  {"cores", [](auto& t) { t.vertices[0].cores = 1; }},
                                  {"load_store_domain", [](auto& t) { t.vertices[0].load_store_domain = -1; }},
                                  {"a of a link", [](auto& t) { t.links[0].a = 1; }},
                                  {"b of a link", [](auto& t) { t.links[0].b = 1; }},
                                  {"kind of a link", [](auto& t) { t.links[0].kind = LinkKind::pcie; }},
                                  {"bandwidth of a link", [](auto& t) { t.links[0].bandwidth = 1e11; }},
                                  {"latency of a link", [](auto& t) { t.links[0].latency = 1e-6; }},
                                  {"from", [](auto& t) { t.measurements[0].from = Measurement::host; }},
                                  {"to", [](auto& t) { t.measurements[0].to = Measurement::host; }},
                                  {"method", [](auto& t) { t.measurements[0].method = "store"; }},
                                  {"measured bandwidth", [](auto& t) { t.measurements[0].bandwidth = 1e11; }},
                                  {"measured latency", [](auto& t) { t.measurements[0].latency = 2e-6; }},
                                  {"traffic", [](auto& t) { t.measurements[0].traffic = Traffic::two_way; }},
                                  {"numa", [](auto& t) { t.measurements[0].numa = 0; }},
                                  {"bytes", [](auto& t) { t.measurements[0].bytes = 65; }},
                                  {"path", [](auto& t) { t.exchange_rates[0].path = HaloPath::link; }},
                                  {"rows", [](auto& t) { t.exchange_rates[0].rows = HaloRows::packets; }},
                                  {"concurrent", [](auto& t) { t.exchange_rates[0].concurrent = true; }},
                                  {"word_bytes", [](auto& t) { t.exchange_rates[0].word_bytes = 8; }},
                                  {"bandwidth of exchanges", [](auto& t) { t.exchange_rates[0].bandwidth = 1e11; }},
                                  {"latency of exchanges", [](auto& t) { t.exchange_rates[0].latency = 2e-6; }},
                                  {"least", [](auto& t) { t.exchange_rates[0].least = 3e-6; }}});
}

TEST(Fabric, DiffersFromAnotherByAnySingleNumber) {
  expect_each_to_count<FatTree>({{{4, {1e10, 1e-7}}}},
                                {{"levels", [](auto& f) { f.levels.push_back(f.levels[0]); }},
                                 {"children", [](auto& f) { f.levels[0].children = 5; }},
                                 {"bandwidth", [](auto& f) { f.levels[0].uplinks.bandwidth = 2e10; }},
                                 {"latency", [](auto& f) { f.levels[0].uplinks.latency = 2e-7; }}});
  expect_each_to_count<Dragonfly>({2, 4, 8, 1, {1e10, 1e-7}, {1e10, 1e-6}},
                                  {{"nodes_per_router", [](auto& f) { f.nodes_per_router = 1; }},
                                   {"routers_per_group", [](auto& f) { f.routers_per_group = 1; }},
                                   {"groups", [](auto& f) { f.groups = 1; }},
                                   {"links_per_pair", [](auto& f) { f.links_per_pair = 2; }},
                                   {"local", [](auto& f) { f.local.bandwidth = 2e10; }},
                                   {"global", [](auto& f) { f.global.latency = 2e-6; }}});
  expect_each_to_count<Torus>({1, {{4, {1e10, 1e-7}}}},
                              {{"nodes_per_router", [](auto& f) { f.nodes_per_router = 2; }},
                               {"dimensions", [](auto& f) { f.dimensions.clear(); }},
                               {"length", [](auto& f) { f.dimensions[0].length = 8; }},
                               {"link", [](auto& f) { f.dimensions[0].link.latency = 2e-7; }}});
}

TEST(Interconnect, TellsPlacesChannelsAndPathsApart) {
  expect_each_to_count<Place>(
      {node_id(0), 1}, {{"node", [](auto& p) { p.node = node_id(1); }}, {"vertex", [](auto& p) { p.vertex = 0; }}});
  expect_each_to_count<Channel>({LinkKind::pcie, 1e10, 1e-7}, {{"kind", [](auto& c) { c.kind = LinkKind::nvlink; }},
                                                               {"bandwidth", [](auto& c) { c.bandwidth = 2e10; }},
                                                               {"latency", [](auto& c) { c.latency = 2e-7; }}});
  expect_each_to_count<Interconnect::Ends>({0, 1}, {{"from", [](auto& e) { e.from = 2; }},  //
                                                    {"to", [](auto& e) { e.to = 2; }}});
  expect_each_to_count<Path>({1e10, 1e-7}, {{"bandwidth", [](auto& p) { p.bandwidth = 2e10; }},
                                            {"latency", [](auto& p) { p.latency = 2e-7; }}});
}

TEST(Crossbar, RefusesToDescribeLinksThatItDoesNotHave) {
  const std::unique_ptr<FabricLinks> links = make_links(Crossbar{}, 4);
  EXPECT_EQ(links->count(), 0);
  EXPECT_EQ(test::error_of<InternalError>([&] { return links->rate(0); }), "a crossbar has no links");
  EXPECT_EQ(test::error_of<InternalError>([&] { return links->name(0); }), "a crossbar has no links");
  EXPECT_EQ(test::error_of<InternalError>([&] { return links->ends(0); }), "a crossbar has no links");
}

template <typename Enumeration>
std::string no_name() {
  return test::error_of<InternalError>([] { return to_string(static_cast<Enumeration>(99)); });
}

// Values come from other ranks' bytes, too.
TEST(Names, OfAnUnknownValueAreAnErrorThatNamesItsType) {
  EXPECT_EQ(no_name<VertexKind>(), "a VertexKind without a name");
  EXPECT_EQ(no_name<LinkKind>(), "a LinkKind without a name");
  EXPECT_EQ(no_name<Traffic>(), "a Traffic without a name");
  EXPECT_EQ(no_name<HaloPath>(), "a HaloPath without a name");
  EXPECT_EQ(no_name<HaloRows>(), "a HaloRows without a name");
}

}  // namespace
}  // namespace halocline::machine
