// SPDX-License-Identifier: BSD-3-Clause
// Several domains at once over one communicator: their messages do not mix.
#include <gtest/gtest.h>

#include "comm/local_ranks.hpp"
#include "halocline/halocline.hpp"

namespace halocline {
namespace {

TEST(SeveralDomains, interleave_over_one_communicator) {
  comm::run_as_threads(3, [](comm::RankGroup& comm) {
    DomainOptions options;
    options.routing.policy.order = {routing::Transport::mpi_staged};
    options.timeout = std::chrono::seconds(20);
    Domain one({8, 8, 24}, Stencil::box(1), comm, options);
    Domain two({8, 8, 24}, Stencil::box(1), comm, options);
    const auto u = one.add_field<double>("u");
    const auto v = two.add_field<double>("v");
    one.realize();
    two.realize();
    const auto fill = [](Domain& domain, Field<double> field, double offset) {
      const auto view = domain.subdomains()[0].view(field);
      for_each_cell(view.owned(), [&](const Vec3& p) { view(p) = offset + static_cast<double>(p.z); });
    };
    const auto check = [](Domain& domain, Field<double> field, double offset) {
      const auto view = domain.subdomains()[0].view(field);
      for_each_cell(view.with_halo(),
                    [&](const Vec3& p) { ASSERT_EQ(view(p), offset + static_cast<double>((p.z + 24) % 24)); });
    };
    for (int step = 0; step < 5; ++step) {
      fill(one, u, 100);
      fill(two, v, 200);
      // Each rank starts them in a different order.
      const bool first = (comm.rank().value() + step) % 2 == 0;
      auto begun_first = (first ? one : two).start_exchange();
      auto begun_second = (first ? two : one).start_exchange();
      (first ? begun_second : begun_first).finish();
      (first ? begun_first : begun_second).finish();
      one.synchronize();
      two.synchronize();
      check(one, u, 100);
      check(two, v, 200);
    }
    one.close();
    two.close();
  });
}

}  // namespace
}  // namespace halocline
