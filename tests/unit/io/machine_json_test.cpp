// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/limits.hpp"
#include "halocline/error.hpp"
#include "io/json.hpp"
#include "machine/synthetic.hpp"
#include "support/effort.hpp"
#include "support/error_of.hpp"
#include "support/random_machine.hpp"

namespace halocline::io {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text) {
  return test::error_of<InvalidArgument>([&] { static_cast<void>(machine_from_json(text)); });
}

const std::string good = R"({
  "schema": "halocline-machine/1",
  "name": "m",
  "sources": ["assumed"],
  "types": [{"name": "t",
             "vertices": [{"kind": "package", "name": "p", "cores": 4},
                          {"kind": "device", "name": "d", "memory_bytes": 17179869184, "load_store_domain": 0}],
             "links": [{"a": 0, "b": 1, "kind": "pcie", "bandwidth": 25e9, "latency": 1e-6}],
             "measurements": [{"from": 0, "to": 0, "method": "copy", "bandwidth": 1e12, "latency": 0}],
             "exchange_rates": [{"path": "local", "rows": "short", "concurrent": true, "word_bytes": 8,
                                 "bandwidth": 4e11, "latency": 7e-6, "least": 8e-6}]}],
  "nodes": [{"name": "n", "type": 0, "count": 3}, {"name": "x", "type": 0, "rack": 2, "device_uuids": ["u"]}],
  "network": {"bandwidth": 12.5e9, "latency": 2e-6},
  "ranks": [{"node": 3, "devices": [0]}]
})";

/// The valid document with one piece replaced; the piece must occur once.
std::string with(const std::string& piece, const std::string& other) {
  const auto at = good.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  EXPECT_EQ(good.find(piece, at + 1), std::string::npos) << piece;
  return std::string(good).replace(at, piece.size(), other);
}

TEST(MachineJson, ReadsWhatIsWritten) {
  const machine::MachineMap map = machine_from_json(good);
  EXPECT_EQ(map.name, "m");
  ASSERT_EQ(map.nodes.size(), 4u);
  EXPECT_EQ(map.nodes[2].name, "n-2");
  EXPECT_EQ(map.nodes[3].name, "x");
  EXPECT_EQ(map.nodes[3].rack, 2);
  EXPECT_EQ(map.nodes[3].device_uuids, std::vector<std::string>{"u"});
  EXPECT_EQ(map.types[0].vertices[1].memory_bytes, std::int64_t{16} << 30);
  EXPECT_EQ(map.types[0].links[0].kind, machine::LinkKind::pcie);
  EXPECT_EQ(map.types[0].measurements[0].method, "copy");
  ASSERT_EQ(map.types[0].exchange_rates.size(), 1u);
  using machine::HaloPath;
  using machine::HaloRows;
  EXPECT_EQ(map.types[0].exchange_rates[0],
            (machine::ExchangeRate{HaloPath::local, HaloRows::short_rows, true, 8, 4e11, 7e-6, 8e-6}));
  EXPECT_EQ(map.ranks[0].node, node_id(3));
  EXPECT_EQ(map.sources, std::vector<std::string>{"assumed"});
  EXPECT_EQ(map.network.bandwidth, 12.5e9);
}

TEST(MachineJson, WhatMayBeLeftOutOfAnOlderDocumentIsNotThere) {
  std::string older = good;
  const auto begin = older.find(",\n             \"exchange_rates\"");
  older.erase(begin, older.find("]}]", begin) + 1 - begin);
  EXPECT_TRUE(machine_from_json(older).types[0].exchange_rates.empty()) << older;
  EXPECT_EQ(to_json(machine_from_json(older)).find("exchange_rates"), std::string::npos);
  EXPECT_FALSE(machine_from_json(with(R"("concurrent": true, )", "")).types[0].exchange_rates[0].concurrent);
}

/// The valid document with software overheads.
std::string with_software(const std::string& software) {
  return with(R"("latency": 2e-6})", R"("latency": 2e-6}, "software": )" + software);
}

TEST(MachineJson, ReadsAndWritesSoftware) {
  EXPECT_EQ(machine_from_json(good).software, machine::Software{}) << "a file without it limits nothing";
  EXPECT_EQ(to_json(machine_from_json(good)).find("software"), std::string::npos);
  const auto map = machine_from_json(with_software(
      R"({"mpi_copy": 5e9, "mpi_injection": 12e9, "mpi_latency": 1e-6, "mpi_device_latency": 2e-6,
          "mpi_overhead": 3e-6, "device_launch": 4e-6, "one_core": true, "mpi_serialises_streams": true, "serial_copies": true})"));
  EXPECT_EQ(map.software, (machine::Software{5e9, 12e9, 1e-6, 2e-6, 3e-6, 4e-6, true, true, true}));
  EXPECT_EQ(machine_from_json(to_json(map)), map);
}

TEST(MachineJson, SaysWhatIsWrongWithSoftware) {
  const std::pair<const char*, const char*> cases[] = {
      {R"(5)", "software is 5; allowed is an object"},
      {R"({"mpi_copies": 5e9})", R"(software has the unknown key "mpi_copies"; allowed are mpi_copy, mpi_injection,)"},
      {R"({"mpi_copy": 0})", "software.mpi_copy is 0; allowed is a finite number above 0"},
      {R"({"mpi_injection": "fast"})", R"(software.mpi_injection is "fast"; allowed is a finite number)"},
      {R"({"mpi_latency": -1})", "software.mpi_latency is -1; allowed is a finite number, 0 or more"},
      {R"({"mpi_overhead": -1})", "software.mpi_overhead is -1; allowed is a finite number, 0 or more"},
      {R"({"one_core": 1})", "software.one_core is 1; allowed is true or false"},
      {R"({"mpi_serialises_streams": 1})", "software.mpi_serialises_streams is 1; allowed is true or false"}};
  for (const auto& [software, message] : cases) EXPECT_THAT(refusal(with_software(software)), HasSubstr(message));
}

/// The valid document with a fabric.
std::string with_fabric(const std::string& fabric) {
  return with(R"("latency": 2e-6})", R"("latency": 2e-6, "fabric": )" + fabric + "}");
}

TEST(MachineJson, ReadsFabrics) {
  using namespace machine;
  const auto read = [](const char* fabric) { return machine_from_json(with_fabric(fabric)).network.fabric; };
  EXPECT_EQ(machine_from_json(good).network.fabric, Fabric{}) << "a file without one has a crossbar";
  EXPECT_EQ(to_json(machine_from_json(good)).find("fabric"), std::string::npos);
  EXPECT_EQ(read(R"({"shape": "crossbar"})"), Fabric{});
  EXPECT_EQ(read(R"({"shape": "fat_tree", "rails": 1, "levels": [{"children": 2, "bandwidth": 5e9, "latency": 1e-7},
                                                     {"children": 3, "bandwidth": 6e9, "latency": 0}]})"),
            (Fabric{1, FatTree{{{2, {5e9, 1e-7}}, {3, {6e9, 0}}}}}));
  EXPECT_EQ(read(R"({"shape": "dragonfly", "nodes_per_router": 2, "routers_per_group": 3, "groups": 4,
                     "links_per_pair": 5, "local": {"bandwidth": 1e9, "latency": 1e-7},
                     "global": {"bandwidth": 2e9, "latency": 2e-7}})"),
            (Fabric{1, Dragonfly{2, 3, 4, 5, {1e9, 1e-7}, {2e9, 2e-7}}}));
  EXPECT_EQ(read(R"({"shape": "torus", "nodes_per_router": 2, "dimensions": [
                      {"length": 4, "bandwidth": 1e9, "latency": 1e-7}]})"),
            (Fabric{1, Torus{2, {{4, {1e9, 1e-7}}}}}));
}

TEST(MachineJson, BadFabricsAreRefusedByPath) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {R"(3)", "network.fabric is 3; allowed is an object"},
      {R"({})", "network.fabric.shape is missing"},
      {R"({"shape": "ring"})",
       R"(network.fabric.shape is "ring"; allowed is one of crossbar, fat_tree, dragonfly, torus)"},
      {R"({"shape": "crossbar", "levels": []})", R"(network.fabric has the unknown key "levels")"},
      {R"({"shape": "crossbar", "rails": 0})", "network.fabric.rails is 0; allowed is a whole number from 1"},
      {R"({"shape": "crossbar", "rails": 2})", "network.fabric.rails is 2; allowed is 1, or no more than types[0]"},
      {R"({"shape": "fat_tree"})", "network.fabric.levels is missing"},
      {R"({"shape": "fat_tree", "levels": []})", "network.fabric.levels is empty"},
      {R"({"shape": "fat_tree", "levels": [{"children": 0, "bandwidth": 1, "latency": 0}]})",
       "network.fabric.levels[0].children is 0; allowed is a whole number from 1"},
      {R"({"shape": "fat_tree", "levels": [{"children": 1, "bandwidth": 0, "latency": 0}]})",
       "network.fabric.levels[0].bandwidth is 0; allowed is a finite number above 0"},
      {R"({"shape": "fat_tree", "levels": [{"children": 1, "width": 0}]})",
       R"(network.fabric.levels[0] has the unknown key "width")"},
      {R"({"shape": "dragonfly", "nodes_per_router": 1, "routers_per_group": 1, "groups": 3,
           "local": {"bandwidth": 1, "latency": 0}, "global": {"bandwidth": 1, "latency": 0}})",
       "nodes is 4 entries; allowed is 3 at most"},
      {R"({"shape": "dragonfly", "nodes_per_router": 1, "routers_per_group": 1, "groups": 4,
           "local": {"bandwidth": 1, "latency": 0}, "global": {"bandwidth": 1, "lag": 0}})",
       R"(network.fabric.global has the unknown key "lag")"},
      {R"({"shape": "torus", "dimensions": [{"length": 4, "bandwidth": 1, "latency": -1}]})",
       "network.fabric.dimensions[0].latency is -1"},
  };
  for (const auto& [fabric, message] : cases) EXPECT_THAT(refusal(with_fabric(fabric)), HasSubstr(message));
}

TEST(MachineJson, RandomMapsComeBackTheSame) {
  for (std::uint64_t seed = 1; seed <= test::some_of<std::uint64_t>(300); ++seed) {
    const machine::MachineMap map = test::random_machine(seed);
    const std::string text = to_json(map);
    ASSERT_EQ(machine_from_json(text), map) << text;
    ASSERT_EQ(to_json(machine_from_json(text)), text);
  }
}

TEST(MachineJson, NodesThatFollowEachOtherHavePortsThatDo) {
  std::string text = with(R"("count": 3)", R"("count": 3, "port": 8)");
  text.replace(text.find(R"("rack": 2)"), 9, R"("rack": 2, "port": 3)");
  const machine::MachineMap map = machine_from_json(text);
  EXPECT_EQ(map.nodes[2].port, 10);
  EXPECT_EQ(map.port_count(), 11);
  EXPECT_EQ(machine_from_json(to_json(map)), map);
  EXPECT_NE(to_json(map).find(R"("count": 3)"), std::string::npos) << "still one entry";
}

TEST(MachineJson, ManyAlikeNodesStaySmall) {
  const machine::MachineMap map = machine::synthetic({10'000, 4, 4});
  machine::MachineMap without_ranks = map;
  without_ranks.ranks.clear();
  const std::string text = to_json(without_ranks);
  EXPECT_LT(text.size(), 4000u);
  EXPECT_EQ(machine_from_json(text), without_ranks);
}

TEST(MachineJson, AMapThatDoesNotFitTogetherIsNotWritten) {
  machine::MachineMap map = machine::synthetic({1, 2, 1});
  map.types[0].links[0].bandwidth = 0;
  EXPECT_THROW(static_cast<void>(to_json(map)), InvalidArgument);
}

TEST(MachineJson, NamesThatAreNotUtf8AreRefusedNotReplaced) {
  machine::MachineMap map = machine::synthetic({1, 1, 1});
  map.name = "caf\xe9 noir";
  EXPECT_EQ(test::error_of<InvalidArgument>([&] { static_cast<void>(to_json(map)); }),
            "name is 'caf\\xe9 noir'; allowed is UTF-8 text without NUL characters");
}

TEST(MachineJson, EachBadDocumentIsRefusedByPath) {
  struct Case {
    const char* piece;
    const char* other;
    const char* message;
  };
  const std::vector<Case> cases{
      {"halocline-machine/1", "halocline-machine/2",
       R"(schema is "halocline-machine/2"; allowed is "halocline-machine/1")"},
      {R"("schema": "halocline-machine/1",)", "", "schema is missing"},
      {R"("schema": "halocline-machine/1")", R"("schema": 1)", "schema is 1; allowed is a text"},
      {R"("name": "m")", R"("nome": "m")", R"(the document has the unknown key "nome")"},
      {R"("name": "m")", R"("name": null)", "name is null; allowed is a text"},
      {R"("name": "m")", R"("name": "m", "name": "m")", R"(key "name" is given twice)"},
      {R"(["assumed"])", R"(["assumed", 3])", "sources[1] is 3; allowed is a text"},
      {R"(["assumed"])", R"("assumed")", R"(sources is "assumed"; allowed is an array)"},
      {R"("kind": "package")", R"("kind": "cpu")",
       R"(types[0].vertices[0].kind is "cpu"; allowed is one of package, numa)"},
      {R"("cores": 4)", R"("cores": 4.5)", "types[0].vertices[0].cores is 4.5; allowed is a whole number from 0"},
      {R"("cores": 4)", R"("cores": -1)", "types[0].vertices[0].cores is -1;"},
      {R"("cores": 4)", R"("cores": 3000000000)", "types[0].vertices[0].cores is 3000000000;"},
      {R"("cores": 4)", R"("color": 4)",
       R"(types[0].vertices[0] has the unknown key "color"; allowed are kind, name,)"},
      {"17179869184", "18446744073709551615", "types[0].vertices[1].memory_bytes is 18446744073709551615;"},
      {R"("load_store_domain": 0)", R"("load_store_domain": -2)", "types[0].vertices[1].load_store_domain is -2;"},
      {R"("a": 0)", R"("a": 2)", "types[0].links[0].a is 2; allowed is 0 to 1"},
      {R"("b": 1)", R"("b": -1)", "types[0].links[0].b is -1;"},
      {R"("kind": "pcie")", R"("kind": "string")", R"(types[0].links[0].kind is "string"; allowed is one of memory,)"},
      {"25e9", "-1", "types[0].links[0].bandwidth is -1; allowed is a finite number above 0"},
      {"25e9", R"("fast")", R"(types[0].links[0].bandwidth is "fast"; allowed is a finite number)"},
      {"25e9", "1e999", "the document is no JSON"},
      {"1e-6}]", "-1e-6}]", "types[0].links[0].latency is -1e-06; allowed is a finite number, 0 or more"},
      {R"(, "latency": 1e-6)", "", "types[0].links[0].latency is missing"},
      {R"("from": 0)", R"("from": 1)", "types[0].measurements[0].from is 1; allowed is 0 to 0"},
      {R"("path": "local")", R"("path": "wire")",
       R"(types[0].exchange_rates[0].path is "wire"; allowed is one of local, link)"},
      {R"("rows": "short")", R"("rows": "thin")",
       R"(types[0].exchange_rates[0].rows is "thin"; allowed is one of long, short, packed)"},
      {R"("concurrent": true)", R"("concurrent": 1)",
       "types[0].exchange_rates[0].concurrent is 1; allowed is true or false"},
      {R"("concurrent": true)", R"("concurrent": true, "beside": false)",
       R"(types[0].exchange_rates[0].beside is false; allowed is nothing where there is "concurrent")"},
      {R"("word_bytes": 8)", R"("word_bytes": 6)", "types[0].exchange_rates[0].word_bytes is 6; allowed is 1, 2, 4,"},
      {R"("least": 8e-6)", R"("most": 8e-6)", R"(types[0].exchange_rates[0] has the unknown key "most")"},
      {R"(, "least": 8e-6)", "", "types[0].exchange_rates[0].least is missing"},
      {R"("method": "copy")", R"("method": "")", "types[0].measurements[0].method is ''"},
      {R"("from": 0)", R"("from": "hist")",
       R"(types[0].measurements[0].from is "hist"; allowed is a device's number, or "host")"},
      {R"("from": 0)", R"("from": -1)", "types[0].measurements[0].from is -1; allowed is a whole number from 0"},
      {R"("method": "copy")", R"("method": "copy", "traffic": "both")",
       R"(types[0].measurements[0].traffic is "both"; allowed is one of one_way, two_way, all_pairs)"},
      {R"("method": "copy")", R"("method": "copy", "bytes": -1)", "types[0].measurements[0].bytes is -1;"},
      {R"("method": "copy")", R"("method": "copy", "numa": 0)", "types[0].measurements[0].numa is 0; allowed is none"},
      {R"("type": 0, "count": 3)", R"("type": 1, "count": 3)",
       "nodes[0].type is 1; allowed is a whole number from 0 to 0"},
      {R"("count": 3)", R"("count": 0)", "nodes[0].count is 0; allowed is a whole number from 1 to"},
      {R"("count": 3)", R"("count": 99999999)", "nodes[0].count is 99999999; allowed is a whole number from 1 to"},
      {R"("name": "x")", R"("name": "n-0")",
       "nodes[1].name is 'n-0', as another node's is; allowed is a name of its own"},
      {R"("rack": 2)", R"("port": 3)", "nodes[0].port is -1; allowed is 0 to 999999999, as some nodes have ports"},
      {R"("rack": 2)", R"("rack": -2)", "nodes[1].rack is -2"},
      {R"("rack": 2)", R"("count": 2)", "nodes[1].device_uuids is an array of 1; allowed is nothing beside a count"},
      {R"(["u"])", R"(["u", "v"])",
       "nodes[1].device_uuids is an array of 2; allowed is none, or one for each of the 1"},
      {R"("nodes": [{)", R"("nodes": [7, {)", "nodes[0] is 7; allowed is an object"},
      {"12.5e9", "0", "network.bandwidth is 0; allowed is a finite number above 0"},
      {R"("network": {)", R"("network": {"delay": 1, )", R"(network has the unknown key "delay")"},
      {R"("node": 3)", R"("node": 4)", "ranks[0].node is 4; allowed is 0 to 3"},
      {R"("devices": [0])", R"("devices": [1])", "ranks[0].devices[0] is 1; allowed is 0 to 0"},
      {R"("devices": [0])", R"("devices": [0, 0])", "ranks[0].devices[1] is 0; allowed is each device once"},
      {R"("devices": [0])", R"("devices": {})", "ranks[0].devices is an object; allowed is an array"},
  };
  ASSERT_NO_THROW(static_cast<void>(machine_from_json(good)));
  for (const Case& one : cases) EXPECT_THAT(refusal(with(one.piece, one.other)), HasSubstr(one.message));
}

TEST(MachineJson, WhatIsNoDocumentIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("no JSON"));
  EXPECT_THAT(refusal("{"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("the document is an array of 0; allowed is an object"));
  EXPECT_THAT(refusal("\xff"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal(std::string(64, '[')), HasSubstr("no JSON"));
}

TEST(MachineJson, ATextWithNulIsRefusedInFull) {
  EXPECT_EQ(refusal(R"({"schema": "halocline-machine/1", "name": "a\u0000b"})"),
            "name is \"a\\u0000b\"; allowed is a text without NUL characters");
}

TEST(MachineJson, EveryTruncationIsRefused) {
  for (std::size_t length = 0; length < good.size(); ++length) EXPECT_NE(refusal(good.substr(0, length)), "(no error)");
}

TEST(MachineJson, ANameThatIsRepeatedIsNotLong) {
  const std::string long_name = R"("name": ")" + std::string(257, 'n') + R"(", "type": 0, "count": 262141)";
  EXPECT_THAT(refusal(with(R"("name": "n", "type": 0, "count": 3)", long_name)),
              HasSubstr("allowed is a text of at most 256 bytes"));
}

TEST(MachineJson, NodesOfAllEntriesAreCounted) {
  const std::string twice = R"("name": "n", "type": 0, "count": 262144}, {"name": "n", "type": 0, "count": 2)";
  EXPECT_THAT(refusal(with(R"("name": "n", "type": 0, "count": 3)", twice)),
              HasSubstr("nodes[1].count is 2; allowed is a whole number from 1 to 1"));
}

TEST(MachineJson, AnObjectHasFewKeys) {
  std::string keys;
  for (int key = 0; key < 257; ++key) keys += (key == 0 ? "{" : ",") + ("\"" + std::to_string(key) + "\": 0");
  EXPECT_THAT(refusal("[" + keys + "}]"), HasSubstr("an object has more than 256 keys"));
}

TEST(MachineFile, ALargeOneIsRefused) {
  const auto path = std::filesystem::path(testing::TempDir()) / "halocline_large_machine_file_test.json";
  std::ofstream(path) << good;
  std::filesystem::resize_file(path, limits::file_bytes + 1);
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { return read_machine_file(path); }),
              HasSubstr("is larger than 33554432 bytes; allowed is at most that"));
  std::filesystem::remove(path);
}

TEST(MachineFile, ErrorsNameTheFile) {
  const auto path = std::filesystem::path(testing::TempDir()) / "halocline_machine_file_test.json";
  std::ofstream(path) << with("25e9", "0");
  try {
    static_cast<void>(read_machine_file(path));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("halocline_machine_file_test.json': types[0].links[0].bandwidth is 0"));
  }
  std::ofstream(path, std::ios::trunc).flush();
  EXPECT_THROW(static_cast<void>(read_machine_file(path)), InvalidArgument) << "empty";
  std::ofstream(path, std::ios::trunc) << good;
  EXPECT_EQ(read_machine_file(path), machine_from_json(good));
  std::filesystem::remove(path);
  EXPECT_THROW(static_cast<void>(read_machine_file(path)), ResourceError);
  EXPECT_THROW(static_cast<void>(read_machine_file(testing::TempDir())), ResourceError);
}

}  // namespace
}  // namespace halocline::io
