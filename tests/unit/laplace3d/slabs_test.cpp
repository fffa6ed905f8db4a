// SPDX-License-Identifier: BSD-3-Clause
// The members of slabs, which follow from the geometry.
#include <gtest/gtest.h>

#include "comm/local_ranks.hpp"
#include "halocline/session.hpp"
#include "laplace3d/case.hpp"
#include "laplace3d/slabs.hpp"

namespace {

using halocline::Box;
using laplace3d::Side;

void on_slabs(int devices, int steps_per_exchange,
              const std::function<void(const std::vector<laplace3d::Slab>&)>& body) {
  const auto comm = halocline::comm::serial();
  halocline::DomainOptions options;
  options.devices.per_rank = devices;
  options.steps_per_exchange = steps_per_exchange;
  laplace3d::Case<double> on(*comm, {{5, 4, 24}}, options);
  body(laplace3d::slabs_of(on.domain()));
  on.close();
}

TEST(LaplaceSlabs, are_cut_in_z_from_below_to_above) {
  on_slabs(3, 2, [](const auto& slabs) {
    ASSERT_EQ(slabs.size(), 3u);
    EXPECT_EQ(slabs[1].subdomain().owned(), (Box{{0, 0, 8}, {5, 4, 16}}));
    EXPECT_EQ(slabs[1].side(Side::lower), (Box{{0, 0, 8}, {5, 4, 10}}));
    EXPECT_EQ(slabs[1].side(Side::upper), (Box{{0, 0, 14}, {5, 4, 16}}));
    EXPECT_EQ(slabs[1].inner(), (Box{{0, 0, 10}, {5, 4, 14}}));
    EXPECT_EQ(slabs[1].ghost(Side::lower), slabs[0].side(Side::upper));
    EXPECT_EQ(slabs[1].ghost(Side::upper), slabs[2].side(Side::lower));
    EXPECT_FALSE(slabs[0].has_neighbour(Side::lower));
    EXPECT_TRUE(slabs[0].side(Side::lower).empty());
    EXPECT_EQ(slabs[0].inner(), (Box{{0, 0, 0}, {5, 4, 6}}));
    EXPECT_EQ(slabs[2].inner(), (Box{{0, 0, 18}, {5, 4, 24}}));
  });
}

TEST(LaplaceSlabs, touched_and_untouched_cells_are_those_of_the_first_step) {
  for (const int steps_per_exchange : {1, 3}) {
    on_slabs(4, steps_per_exchange, [](const auto& slabs) {
      for (const auto& slab : slabs) {
        const auto [below, above] = slab.touched();
        const Box whole = slab.subdomain().update_box(0);
        EXPECT_EQ(below.volume() + slab.untouched().volume() + above.volume(), whole.volume());
        EXPECT_EQ(below.lo, whole.lo);
        EXPECT_EQ(above.hi, whole.hi);
        EXPECT_EQ(slab.untouched().lo.z - slab.subdomain().owned().lo.z, slab.has_neighbour(Side::lower) ? 1 : 0);
        EXPECT_EQ(slab.subdomain().owned().hi.z - slab.untouched().hi.z, slab.has_neighbour(Side::upper) ? 1 : 0);
      }
    });
  }
}

TEST(LaplaceSlabs, planes_are_one_range_from_their_first_cell_to_their_last) {
  on_slabs(2, 1, [](const auto& slabs) {
    const auto view = slabs[0].subdomain().view(halocline::Field<double>{halocline::field_id(0)});
    const auto planes = laplace3d::planes_of(view, slabs[0].side(Side::upper));
    EXPECT_EQ(planes.data, reinterpret_cast<std::byte*>(&view(0, 0, 11)));
    EXPECT_EQ(planes.data + planes.bytes, reinterpret_cast<std::byte*>(&view(4, 3, 11) + 1));
  });
}

}  // namespace
