// SPDX-License-Identifier: BSD-3-Clause
// Subdomains on the nodes that suit the network, with ranks as threads.
#include "contract/exchange/system_placement.hpp"

#include "comm/local_ranks.hpp"

namespace halocline::test {
namespace {

TEST(SystemPlacementContract, every_cell_is_as_geometry_says) {
  for (const int ranks : {4, 6}) {
    for (const int devices : {1, 2}) {
      comm::run_as_threads(ranks, [&](comm::RankGroup& comm) { expect_moved_and_right(comm, devices); });
    }
  }
}

TEST(SystemPlacementContract, one_node_gives_the_reason) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    HaloCase c = case_on_a_ring(2, 1);
    c.map.reset();
    c.ranks_per_node.reset();
    c.node_grid = Vec3{1, 1, 1};
    c.device_grid = Vec3{1, 1, 2};
    Domain domain(c.extent, c.radius, comm, options_of(comm, c));
    domain.add_field<float>("u");
    domain.realize();
    EXPECT_THAT(domain.explain(), testing::HasSubstr("; subdomains keep their nodes: all ranks are on one node"));
    domain.close();
    EXPECT_EQ(run_case(comm, c).wrong, "");
  });
}

}  // namespace
}  // namespace halocline::test
