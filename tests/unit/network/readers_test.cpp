// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "files.hpp"
#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline::machine {
namespace {

using testing::HasSubstr;

std::vector<FoundNetwork::Host> hosts(const FoundNetwork& found) { return found.hosts; }

const FatTree& tree_in(const FoundNetwork& found) { return std::get<FatTree>(found.fabric.shape); }

/// The message with which a text is refused.
std::string refusal(const std::string& text) {
  return test::error_of<InvalidArgument>([&] { static_cast<void>(network_in(text)); });
}

TEST(Network, BytesThatAreNoTextAreRefused) {
  using namespace std::string_literals;
  const std::string allowed = "; allowed is UTF-8 text without control characters";
  EXPECT_EQ(refusal("SwitchName=a Nodes=n\xff\n"), "FILE:1:21: byte 0xff" + allowed);
  EXPECT_EQ(refusal("# \xc3\xa9\r\n\tSwitchName=a Nodes=n\xed\xa0\x80\n"), "FILE:2:22: byte 0xed" + allowed);
  EXPECT_EQ(refusal("from,to,latency_us,bandwidth_gbytes\na\0b,c,1,1\n"s), "FILE:2:2: byte 0x00" + allowed);
  EXPECT_EQ(refusal("from,to,latency_us,bandwidth_gbytes\na\x1b[31m,c,1,1\n"), "FILE:2:2: byte 0x1b" + allowed);
  EXPECT_EQ(network_in("SwitchName=a Nodes=n\xc3\xb6\n").hosts[0].name, "n\xc3\xb6");
}

TEST(Network, TheNameOfTheFileIsPrintableInNotesAndErrors) {
  const FoundNetwork found = read_network(NetworkFormat::slurm, "SwitchName=a Nodes=n\n", "x\xff.conf");
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("tree of switches, x\\xff.conf")));
}

TEST(Slurm, ReadsATreeOfSwitches) {
  const FoundNetwork found = network_in(text_of("tree.conf"));
  ASSERT_EQ(found.hosts.size(), 15u);
  ASSERT_EQ(tree_in(found).levels.size(), 2u);
  EXPECT_EQ(tree_in(found).levels[0].children, 4);
  EXPECT_EQ(tree_in(found).levels[1].children, 2);
  EXPECT_EQ(found.hosts[6], (FoundNetwork::Host{"n06", 6}));
  EXPECT_EQ(found.hosts[7], (FoundNetwork::Host{"n08", 8})) << "the place that n07 would have stays empty";
  EXPECT_EQ(found.bandwidth, 0);
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("switches of 3 to 4 hosts")));
}

TEST(Slurm, ReadsWhatScontrolPrints) {
  const FoundNetwork tree = network_in(text_of("scontrol_tree.txt"));
  EXPECT_EQ(tree_in(tree).levels.size(), 1u);
  EXPECT_EQ(hosts(tree).back(), (FoundNetwork::Host{"a3", 3}));
  const FoundNetwork blocks = network_in(text_of("scontrol_block.txt"));
  ASSERT_EQ(tree_in(blocks).levels.size(), 2u);
  EXPECT_EQ(tree_in(blocks).levels[0].children, 2);
  EXPECT_EQ(tree_in(blocks).levels[1].children, 2);
  EXPECT_EQ(hosts(blocks).size(), 8u);
}

TEST(Slurm, ReadsBlocks) {
  const FoundNetwork found = network_in(text_of("block.conf"));
  ASSERT_EQ(tree_in(found).levels.size(), 2u);
  EXPECT_EQ(tree_in(found).levels[0].children, 18);
  EXPECT_EQ(tree_in(found).levels[1].children, 2);
  EXPECT_EQ(found.hosts.back(), (FoundNetwork::Host{"gb072", 71}));
}

TEST(Slurm, ReadsOneSwitch) {
  const FoundNetwork found = network_in("SwitchName=only Nodes=r[1-2]n[01-02]\n");
  EXPECT_EQ(found.fabric, Fabric{});
  ASSERT_EQ(found.hosts.size(), 4u);
  EXPECT_EQ(found.hosts[2].name, "r2n01");
}

TEST(Slurm, MalformedTextIsRefusedByLine) {
  const std::string good = "SwitchName=a Nodes=n[0-1]\n";
  for (const auto& [text, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {good + "SwitchName=b Nodes=n[3-2]\n", "FILE:2: '3-2' in brackets"},
           {good + "SwitchName=b Nodes=n[3\n", "FILE:2: 'n[3': brackets do not match"},
           {good + "SwitchName=b Nodes=n3,,n4\n", "FILE:2: 'n3,,n4': a name is empty"},
           {good + "SwitchName=b\n", "FILE:2: 'b' has neither switches nor nodes"},
           {good + "SwitchName=a Nodes=n9\n", "FILE:2: 'a' is described twice"},
           {good + "SwitchName=b Switches=c\n", "FILE:2: switch 'c' is not described"},
           {good + "SwitchName=b Nodes\n", "FILE:2: 'Nodes'; allowed are words such as"},
           {good + "SwitchName=b Hosts=n9\n", "FILE:2: 'hosts' is no key"},
           {good + "Nodes=n9\n", "FILE:2: a line without SwitchName or BlockName"},
           {good + "SwitchName=b Switches=c\nSwitchName=c Switches=b\n", "FILE:2: switch 'b' is below itself"},
           {good + "SwitchName=b Switches=a\nSwitchName=c Switches=a\n", "FILE:3: switch 'a' is below two switches"},
           {good + "SwitchName=b Nodes=n1\n", "host 'n1' is on two switches"},
           {good + "SwitchName=b Nodes=n[0-9999999]\n", "FILE:2: '0-9999999' in brackets"},
           {good + "BlockSizes=18,18\n", "FILE:2: BlockSizes do not grow"},
           {good + "SwitchName=b Nodes=" + std::string(250, 'x') + "[0-9]" + "yyyyyy\n",
            "FILE:2: a name of 257 bytes or more; allowed are at most 256"},
           {good + "SwitchName=b Nodes=[1-200000,1-200000]\n", "FILE:2: more than 262144 names"},
           {good + "SwitchName=b Nodes=[1-1000][1-1000]\n", "FILE:2: more than 262144 names"},
           {good + "SwitchName=b Nodes=b[1-200000]\nSwitchName=c Nodes=c[1-200000]\n",
            "FILE:3: more than 262144 nodes or switches below others in all"},
           {good + "SwitchName=b Switches=a Nodes=" + std::string(249, 'x') + "[1-200000]\n",
            "FILE:2: names of more than 33554432 bytes in all"},
           {"# nothing\n",
            "FILE is in no known format of networks; allowed is one of ibnetdiscover, slurm, hwloc, pairs"}}) {
    EXPECT_THAT(test::error_of<InvalidArgument>([&] { return network_in(text); }), HasSubstr(message)) << text;
  }
}

TEST(Slurm, BlockSizesAreLimitedInAllLinesTogether) {
  std::string text;
  for (int line = 0; line < 40; ++line) text += "BlockSizes=[1-200000]\n";
  EXPECT_THAT(refusal(text), HasSubstr("names of more than 33554432 bytes in all"));
}

TEST(Slurm, BlockSizesMayGrowByAnyFactor) {
  const std::string blocks = "BlockName=a Nodes=a[0-1]\nBlockName=b Nodes=b[0-1]\nBlockName=c Nodes=c[0-1]\n";
  for (const char* sizes : {"2,1e300", "1e-300,1e300"}) {
    const FoundNetwork found = network_in(blocks + "BlockSizes=" + sizes + "\n");
    EXPECT_EQ(tree_in(found).levels.size(), 1u) << "all blocks fit into the larger one: " << sizes;
  }
}

/// Of the children of the switch of each level, one has children.
std::string uneven_tree(int levels, int children) {
  std::string text;
  int number = 0;
  const std::function<std::string(int, int)> add = [&](int level, int count) {
    const std::string name = "s" + std::to_string(number++);
    std::string line = "SwitchName=" + name + (level == 0 ? " Nodes=" : " Switches=");
    for (int c = 0; c < count; ++c) {
      line += c > 0 ? "," : "";
      line += level == 0 ? name + "n" + std::to_string(c) : add(level - 1, c == 0 && count > 1 ? children : 1);
    }
    text += line + "\n";
    return name;
  };
  add(levels, children);
  return text;
}

TEST(Slurm, UnevenTreesWithTooManyPlacesAreRefused) {
  EXPECT_THAT(refusal(uneven_tree(8, 400)), HasSubstr("has room for more than 1000000000 hosts"));
  EXPECT_EQ(network_in(uneven_tree(2, 3)).hosts.size(), 7u);
}

TEST(Ibnetdiscover, ReadsAFatTree) {
  const FoundNetwork found = network_in(text_of("ibnetdiscover.txt"));
  ASSERT_EQ(found.hosts.size(), 8u) << "aggregation nodes are no hosts";
  EXPECT_EQ(found.hosts[5], (FoundNetwork::Host{"node05", 5}));
  EXPECT_DOUBLE_EQ(found.bandwidth, 25e9);
  ASSERT_EQ(tree_in(found).levels.size(), 1u);
  EXPECT_EQ(tree_in(found).levels[0].children, 4);
  EXPECT_DOUBLE_EQ(tree_in(found).levels[0].uplinks.bandwidth, 50e9) << "two links of 4xHDR for four hosts";
}

/// A host that is on two switches; they are joined by a spine where `joined`.
std::string two_switches(bool joined, const std::string& second) {
  std::string text;
  for (const char* name : {"S-1", "S-2"}) {
    text += std::string("Switch 8 \"") + name + "\" # \"sw\" base port 0 lid 1 lmc 0\n";
    for (const std::string host : {"H-a", "H-b"}) {
      if (std::string(name) == "S-2" && host == "H-b" && second.empty()) continue;
      text += "[1] \"" + host + "\"[1] # \"x\" lid 3 4xEDR\n";
    }
    if (joined) text += "[8] \"S-3\"[1] # \"spine\" lid 9 4xEDR\n";
  }
  if (joined)
    text += "Switch 8 \"S-3\" # \"spine\"\n[1] \"S-1\"[8] # \"sw\" lid 1 4xEDR\n[2] \"S-2\"[8] # \"sw\" lid 1 4xEDR\n";
  return text + "Ca 2 \"H-a\" # \"host-a mlx5_0\"\n[1] \"S-1\"[1] # lid 3 4xEDR\nCa 2 \"H-b\" # \"host-b mlx5_0\"\n";
}

TEST(Ibnetdiscover, SubnetsWithTheSameHostsAreRails) {
  const FoundNetwork found = network_in(two_switches(false, "H-b"));
  EXPECT_EQ(found.fabric.rails, 2);
  EXPECT_EQ(found.hosts.size(), 2u);
  EXPECT_DOUBLE_EQ(found.bandwidth, 25e9) << "both adapters of a host";
  EXPECT_THAT(test::error_of<InvalidArgument>([] { return network_in(two_switches(false, "")); }),
              HasSubstr("allowed are equal rails, or one network"));
  EXPECT_THAT(test::error_of<InvalidArgument>([] { return network_in(two_switches(true, "H-b")); }),
              HasSubstr("host 'host-a' is on two switches"));
}

TEST(Ibnetdiscover, MalformedTextIsRefusedByLine) {
  const std::string one = "Switch 8 \"S-1\" # \"sw\"\n";
  const std::string host = "Ca 1 \"H-a\" # \"a mlx5_0\"\n";
  for (const auto& [text, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {one + "[1] \"H-a\n", "FILE:2: a name in quotes is missing"},
           {one + "[1] \"H-a\"[1] # \"a\" lid 1 4xEDR\n", "FILE:2: 'H-a' is not described"},
           {one + "[1] \"H-a\"[1] # \"a\" lid 1 4xFAST\n" + host, "FILE:2: '4xFAST' is no width and speed"},
           {one + one, "FILE:2: 'S-1' is described twice"},
           {one + "port 1\n", "FILE:2: 'port 1'; allowed is a Switch, a Ca"},
           {"vendid=0x1\n[1] \"S-1\"[1]\n", "FILE:2: a port without a Switch or Ca before it"},
           {one, "FILE:1: no Ca on any switch"},
           {host, "FILE:1: no Switch"},
           {one + "Ca 1 \"H-a\"\n", "FILE:2: 'H-a' has no description"},
           {one +
                "[1] \"H-a\"[1] # \"a\"\n[2] \"S-2\"[2] # \"sw\"\nSwitch 8 \"S-2\" # \"sw\"\n[1] \"H-a\"[1]\n[2] "
                "\"S-1\"[2]\n" +
                host,
            "FILE:1: switches 'S-1' and 'S-2' are linked at one level, which is no fat tree"}}) {
    EXPECT_THAT(test::error_of<InvalidArgument>([&] { return network_in(text); }), HasSubstr(message)) << text;
  }
}

TEST(Hwloc, ReadsAssembledHosts) {
  const FoundNetwork found = network_in(text_of("cluster_v1.xml"));
  EXPECT_EQ(hosts(found), (std::vector<FoundNetwork::Host>{{"alpha", 0}, {"beta", 1}, {"gamma", 2}}));
  ASSERT_EQ(tree_in(found).levels.size(), 1u);
  EXPECT_EQ(tree_in(found).levels[0].children, 2);
}

TEST(Hwloc, ReadsFilesOfSingleHostsBehindEachOther) {
  const FoundNetwork found = network_in(text_of("two_hosts_v2.xml"));
  EXPECT_EQ(hosts(found), (std::vector<FoundNetwork::Host>{{"one", 0}, {"two", 1}}));
  EXPECT_EQ(found.fabric, Fabric{});
}

TEST(Hwloc, MalformedTextIsRefusedByLine) {
  const std::string machine = "<object type=\"Machine\">\n<info name=\"HostName\" value=\"a\"/>\n";
  for (const auto& [text, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {machine, "FILE:2: 1 <object> without an end"},
           {"<object type=\"Machine\">\n</object>", "FILE:1: a Machine without <info name=\"HostName\""},
           {machine + "</object>\n</object>", "FILE:4: </object> without its beginning"},
           {machine + "<object type=Core>", "FILE:3: 'type=Core' in <object>"},
           {machine + "<object", "FILE:3: a tag does not end"},
           {machine + "<object os_index=\"1\"/>", "FILE:3: an <object> without a type"},
           {machine + "</>", "FILE:3: a tag without a name"},
           {machine + "< object>", "FILE:3: a tag without a name"},
           {"<topology>\n</topology>\n", "no <object type=\"Machine\">"}}) {
    EXPECT_THAT(test::error_of<InvalidArgument>([&] { return network_in(text); }), HasSubstr(message)) << text;
  }
}

TEST(Pairs, MalformedTextIsRefusedByLine) {
  const std::string header = "from,to,latency_us,bandwidth_gbytes\n";
  for (const auto& [text, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {header + "a,b,1\n", "FILE:2: 3 cells; allowed are 4"},
           {header + "a,b,1,fast\n", "FILE:2: bandwidth_gbytes is 'fast'; allowed is a number above 0"},
           {header + "a,b,-1,2\n", "FILE:2: latency_us is '-1'"},
           {header + "a,a,1,2\n", "FILE:2: 'a' to itself"},
           {header + "a,b,1,2\nb,c,1,2\n", "no measurement between 'a' and 'c'"},
           {"from,to,us,gb\n", "FILE:1: 'from,to,us,gb'; allowed is the header"}}) {
    EXPECT_THAT(test::error_of<InvalidArgument>([&] { return network_in(text); }), HasSubstr(message)) << text;
  }
}

TEST(Network, AFormatWithoutAReaderIsAnError) {
  EXPECT_EQ(test::error_of<InternalError>([] { return read_network(static_cast<NetworkFormat>(99), "a", "FILE"); }),
            "a NetworkFormat without a reader");
}

/// Trees that the readers of files do not make.
TEST(SwitchTree, WithoutSwitchesOrHostsIsRefused) {
  const auto refusal = [](const SwitchTree& tree) {
    return test::error_of<InvalidArgument>([&] { return network_of(tree); });
  };
  EXPECT_EQ(refusal({}), "a network has no switch; allowed is one or more");
  SwitchTree tree;
  tree.switches.push_back({"root", {}, {}, {}});
  EXPECT_EQ(refusal(tree), "a network has no host; allowed is one or more");
  tree.switches[0] = {"root", {1}, {"a"}, {}};
  tree.switches.push_back({"leaf", {}, {"b"}, {}});
  EXPECT_EQ(refusal(tree), "switch 'root' has switches and the host 'a' below it; allowed is one or the other");
  tree.switches[0].hosts.clear();
  tree.switches[0].children = {1, 2};
  tree.switches.push_back({"pod", {3}, {}, {}});
  tree.switches.push_back({"other leaf", {}, {"c"}, {}});
  EXPECT_EQ(refusal(tree),
            "switch 'root' has hosts at different depths below it; allowed are networks with all hosts at one depth");
  tree.switches[2] = {"leaf too", {}, {"b"}, {}};
  EXPECT_EQ(refusal(tree), "host 'b' is on two switches; allowed is one");
}

TEST(SwitchTree, TakesTheSlowestUplinksOfALevelAndSaysSo) {
  SwitchTree tree;
  tree.switches = {{"root", {1, 2, 3}, {}, {}},
                   {"fast", {}, {"a", "b"}, {20e9, 1e-7}},
                   {"slow", {}, {"c"}, {10e9, 3e-7}},
                   {"unknown", {}, {"d"}, {}}};
  const FoundNetwork found = network_of(tree);
  EXPECT_EQ(found.fabric.shape, (Fabric::Shape{FatTree{{{2, {10e9, 3e-7}}}}}));
  EXPECT_THAT(found.notes, testing::Contains("level 0: switches of 1 to 2 hosts"));
  EXPECT_THAT(found.notes,
              testing::Contains("level 0: uplinks of a switch 10 to 20 GB/s; the slowest are taken for all"));
}

}  // namespace
}  // namespace halocline::machine
