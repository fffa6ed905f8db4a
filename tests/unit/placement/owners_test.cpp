// SPDX-License-Identifier: BSD-3-Clause
// Owners given by the caller.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_machine.hpp"
#include "halocline/error.hpp"
#include "partition/strategy.hpp"
#include "placement/node_placer.hpp"
#include "support/error_of.hpp"

namespace halocline::placement {
namespace {

/// 2 nodes of 2 ranks with 2 devices each.
machine::MachineMap two_nodes() { return machine_of(node_of_groups(4, 2, 50, 10), 2, 4, 2); }

partition::Geometry in_a_row(std::int64_t devices) {
  FieldDescriptor field;
  field.name = "u";
  const partition::Request request{.extent = {4 * devices, 4, 4},
                                   .halo = Stencil::box(1),
                                   .devices_per_node = devices,
                                   .method = partition::Method::given,
                                   .device_grid = Vec3{devices, 1, 1}};
  return {partition::make_partition(request), {field}, Stencil::box(1), all_periodic};
}

std::vector<Owner> backwards() {
  std::vector<Owner> owners;
  for (std::int64_t s = 7; s >= 0; --s) owners.push_back({rank_id(s / 2), static_cast<int>(s % 2)});
  return owners;
}

std::string refusal_of(const std::vector<Owner>& owners, std::int64_t devices = 8) {
  return test::error_of<InvalidArgument>(
      [&] { return make_placement(in_a_row(devices), two_nodes(), {.method = Method::given, .owners = owners}); });
}

TEST(Owners, AreThePlacementOnAnyNode) {
  const Placement placement = make_placement(in_a_row(8), two_nodes(), {.owners = backwards()});
  EXPECT_TRUE(placement.given);
  EXPECT_EQ(placement.cost_text(), "with the given owners");
  EXPECT_EQ(placement.of(subdomain_id(0)), (Slot{rank_id(3), node_id(1), device_id(3), 1}));
  EXPECT_EQ(placement.of(subdomain_id(5)), (Slot{rank_id(1), node_id(0), device_id(2), 0}));
  EXPECT_EQ(placement.of_rank(rank_id(3)), (std::vector{subdomain_id(1), subdomain_id(0)}));
}

TEST(Owners, AreTheSameForANodeAlone) {
  const machine::MachineMap map = two_nodes();
  const partition::Geometry geometry = in_a_row(8);
  const Request request{.owners = backwards()};
  NodePlacer placer(geometry, map, request);
  const Placement whole = make_placement(geometry, map, request);
  for (std::int64_t s = 0; s < 8; ++s) EXPECT_EQ(placer.of(subdomain_id(s)), whole.of(subdomain_id(s)));
  for (std::int64_t r = 0; r < 4; ++r) EXPECT_EQ(placer.of_rank(rank_id(r)), whole.of_rank(rank_id(r)));
  EXPECT_THROW(static_cast<void>(placer.problem_of(0)), InvalidArgument);
}

TEST(Owners, ErrorsNameSubdomainRankAndDevice) {
  EXPECT_EQ(refusal_of(backwards()), "(no error)");
  auto owners = backwards();
  owners[6].rank = rank_id(4);
  EXPECT_EQ(refusal_of(owners), "owner of subdomain 6 is rank 4; allowed for machine 'fake' are 0 to 3");
  owners[6].rank = rank_id();
  EXPECT_EQ(refusal_of(owners), "owner of subdomain 6 is rank -1; allowed for machine 'fake' are 0 to 3");
  owners = backwards();
  owners[2].device = 2;
  EXPECT_EQ(refusal_of(owners),
            "owner of subdomain 2 is device 2 of rank 2; allowed are the rank's 2 devices, counted from 0");
  owners[2].device = -1;
  EXPECT_EQ(refusal_of(owners),
            "owner of subdomain 2 is device -1 of rank 2; allowed are the rank's 2 devices, counted from 0");
  owners = backwards();
  owners[7] = owners[4];
  EXPECT_EQ(refusal_of(owners),
            "owner of subdomains 4 and 7 is device 1 of rank 1; allowed is one subdomain for each device");
}

TEST(Owners, ErrorsNameNumbers) {
  auto owners = backwards();
  owners.pop_back();
  EXPECT_EQ(refusal_of(owners), "number of owners is 7; allowed is one for each subdomain, 8");
  EXPECT_EQ(refusal_of({}), "number of owners is 0; allowed is one for each subdomain, 8");
  EXPECT_EQ(refusal_of(owners, 7),
            "number of subdomains with given owners is 7; allowed is one for each device that ranks of machine 'fake' "
            "drive, 8");
}

}  // namespace
}  // namespace halocline::placement
