// SPDX-License-Identifier: BSD-3-Clause
// Exchange rates for machines on which none were measured.
#include "machine/typical_rates.hpp"

#include <gtest/gtest.h>

#include <string>

#include "io/json.hpp"

namespace halocline::machine {
namespace {

MachineMap sheet(const std::string& name) { return io::read_machine_file(HALOCLINE_MACHINES "/" + name + ".json"); }

TEST(TypicalRates, AreTheMeasuredOnes) {
  const MachineMap measured =
      io::read_machine_file(HALOCLINE_MACHINES "/../bench/results/2026-11-30-2x-h200-predictions/map.json");
  ASSERT_FALSE(measured.types.front().exchange_rates.empty());
  EXPECT_EQ(with_typical_rates(sheet("dgx-h200")).types.front().exchange_rates, measured.types.front().exchange_rates);
}

TEST(TypicalRates, AreForGpusJoinedByNvlinkOnly) {
  EXPECT_TRUE(has_typical_rates(sheet("dgx-h200")));
  for (const char* const name : {"frontier", "titan", "k20-server"}) {
    const MachineMap map = sheet(name);
    EXPECT_FALSE(has_typical_rates(map)) << name;
    EXPECT_EQ(with_typical_rates(map), map) << name;
  }
  EXPECT_FALSE(has_typical_rates({}));
}

TEST(TypicalRates, AreForLinksOfTheirBandwidthOnly) {
  MachineMap map = sheet("dgx-h200");
  const auto with = [&](double bandwidth) {
    for (Link& link : map.types.front().links) {
      if (link.kind == LinkKind::nvlink) link.bandwidth = bandwidth;
    }
    return has_typical_rates(map);
  };
  EXPECT_FALSE(with(200e9));
  EXPECT_TRUE(with(300e9));
  EXPECT_TRUE(with(900e9));
  EXPECT_FALSE(with(1000e9));
}

TEST(TypicalRates, DoNotReplaceOrJoinMeasuredOnes) {
  MachineMap map = sheet("dgx-h200");
  map.types.front().exchange_rates = {ExchangeRate{.bandwidth = 1e9}};
  EXPECT_FALSE(has_typical_rates(map));
  EXPECT_EQ(with_typical_rates(map), map);
}

TEST(TypicalRates, NeedNvlinkInEveryNodeThatIsThere) {
  MachineMap map = sheet("dgx-h200");
  NodeType lonely = map.types.front();
  std::erase_if(lonely.links, [](const Link& link) { return link.kind == LinkKind::nvlink; });
  map.types.push_back(lonely);
  EXPECT_TRUE(has_typical_rates(map)) << "no node is of it";
  map.nodes.back().type = 1;
  EXPECT_FALSE(has_typical_rates(map));
}

}  // namespace
}  // namespace halocline::machine
