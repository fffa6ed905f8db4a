// SPDX-License-Identifier: BSD-3-Clause
// Cells that kernels store into remote halos: which calls are refused, and that forgotten cells are detected. Property
// tests check the results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "halocline/session.hpp"
#include "support/captured.hpp"

namespace halocline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Directions faces_in_z = [] {
  Directions faces;
  for (const int z : {-1, 1}) faces.set(static_cast<std::size_t>(Direction::of(0, 0, z).index()));
  return faces;
}();

/// Two slabs; each is adjacent to the other in z, and to itself in x and y.
class Outlets : public testing::Test {
 protected:
  static constexpr Vec3 extent{6, 5, 8};
  static DomainOptions options_for(routing::Transport transport) {
    DomainOptions options;
    options.devices.per_rank = 2;
    options.routing.policy.order = {routing::Transport::self, transport, routing::Transport::mpi_staged};
    options.partition.method = partition::Method::given;
    options.partition.node_grid = Vec3{1, 1, 1};
    options.partition.device_grid = Vec3{1, 1, 2};
    return options;
  }
  void make(const DomainOptions& options, int buffers = 2) {
    domain = std::make_unique<Domain>(extent, Stencil::box(1), options);
    u = domain->add_field<double>("u", {.buffers = buffers});
    domain->realize();
  }
  void make(routing::Transport transport) { make(options_for(transport)); }
  ~Outlets() override {
    if (domain && !failed) domain->close();
  }

  /// A step whose kernels store the faces in z into the neighbours' halos, except for one cell.
  void step(const std::optional<Vec3>& forgotten = std::nullopt) {
    domain->exchange();
    for (const Subdomain& s : domain->subdomains()) {
      s.launch(s.owned(), [=, from = s.view(u), to = s.view(u, 1)](const Box& part) {
        for_each_cell(part, [&](const Vec3& p) { to(p) = from(p) + 1; });
      });
      for (const int z : {-1, 1}) {
        const auto outlet = internals(s).outlet(s, u, Direction::of(0, 0, z), 1);
        ASSERT_TRUE(outlet);
        s.launch(outlet->owned(), [=, to = s.view(u, 1)](const Box& part) {
          for_each_cell(part, [&](const Vec3& p) {
            if (p != forgotten) (*outlet)(p) = to(p);
          });
        });
      }
    }
    internals(*domain).mark_stored(u, faces_in_z);
    domain->swap(u);
  }
  [[nodiscard]] std::string refused(const std::function<void()>& call) const {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  std::unique_ptr<Domain> domain;
  bool failed = false;
  Field<double> u;
};

TEST_F(Outlets, are_a_neighbours_halo_cells_in_ones_own_coordinates) {
  make(routing::Transport::direct);
  const Subdomain& below = domain->subdomains()[0];
  const Subdomain& above = domain->subdomains()[1];
  const auto up = internals(below).outlet(below, u, Direction::of(0, 0, 1));
  ASSERT_TRUE(up);
  EXPECT_EQ(up->owned(), (Box{{0, 0, 3}, {6, 5, 4}}));
  (*up)(2, 3, 3) = 7;
  EXPECT_EQ(above.view(u)(2, 3, 3), 7);
  // Across the periodic boundary, into the next buffer.
  const auto down = internals(below).outlet(below, u, Direction::of(0, 0, -1), 1);
  ASSERT_TRUE(down);
  EXPECT_EQ(down->owned(), (Box{{0, 0, 0}, {6, 5, 1}}));
  (*down)(2, 3, 0) = 8;
  EXPECT_EQ(above.view(u, 1)(2, 3, 8), 8);
  // A remote halo of the subdomain itself.
  const auto right = internals(below).outlet(below, u, Direction::of(1, 1, 0));
  ASSERT_TRUE(right);
  EXPECT_EQ(right->owned(), (Box{{5, 4, 0}, {6, 5, 4}}));
  (*right)(5, 4, 2) = 9;
  EXPECT_EQ(below.view(u)(-1, -1, 2), 9);
}

TEST_F(Outlets, are_none_where_memory_is_not_mapped) {
  make(routing::Transport::peer_copy);
  for (const Subdomain& s : domain->subdomains()) {
    EXPECT_FALSE(internals(s).outlet(s, u, Direction::of(0, 0, 1)));
    EXPECT_TRUE(internals(s).outlet(s, u, Direction::of(0, 1, 0)));  // adjacent to itself
  }
}

TEST_F(Outlets, of_another_type_are_refused) {
  make(routing::Transport::direct);
  EXPECT_THAT(refused([&] {
                static_cast<void>(
                    internals(*domain).outlet(domain->subdomains()[0], Field<float>{u.id}, Direction::of(0, 0, 1)));
              }),
              HasSubstr("outlet of field 'u' is of f32; allowed is its own type, f64"));
}

TEST_F(Outlets, what_neighbours_may_still_read_is_refused) {
  make(routing::Transport::direct);
  EXPECT_THAT(refused([&] { internals(*domain).mark_stored(u, faces_in_z); }),
              HasSubstr("allowed is behind an exchange of it"));
  domain->exchange();
  EXPECT_THAT(refused([&] { internals(*domain).mark_stored(u, faces_in_z, 2); }),
              HasSubstr("'u', ahead is 2 of 2 buffers; allowed are those that are not the current one"));
  domain->swap(u);
  EXPECT_THAT(refused([&] { internals(*domain).mark_stored(u, faces_in_z); }),
              HasSubstr("allowed is behind an exchange of it"));
  auto exchange = domain->start_exchange();
  EXPECT_THAT(refused([&] { internals(*domain).mark_stored(u, faces_in_z); }),
              HasSubstr("while an exchange is under way"));
  exchange.finish();
}

TEST_F(Outlets, are_not_for_halos_that_serve_several_steps) {
  DomainOptions options = options_for(routing::Transport::direct);
  options.steps_per_exchange = 2;
  make(options);
  domain->exchange();
  EXPECT_THAT(refused([&] { internals(*domain).mark_stored(u, faces_in_z); }),
              HasSubstr("steps_per_exchange is 2; allowed is 1"));
}

TEST_F(Outlets, a_cell_that_was_not_stored_is_found_where_order_is_checked) {
  DomainOptions options = options_for(routing::Transport::direct);
  options.debug.validate_ordering = true;
  make(options);
  step();
  step();
  step(Vec3{1, 2, 3});
  try {
    domain->exchange();
    FAIL();
  } catch (const ProtocolError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("subdomain 0 -> 1"), HasSubstr("the halo of field 'u' on side (+0, +0, -1)"),
                      HasSubstr("is not what exchange 4 sent; kernels must store through outlets all cells")));
  }
  failed = true;
}

TEST_F(Outlets, a_replay_behind_other_stores_than_at_capture_is_refused) {
  make(routing::Transport::direct);
  step();
  const Graph cycle = test::captured(*domain, [&] {
    step();
    step();
  });
  cycle.launch();
  domain->exchange();  // uses the stored halos
  EXPECT_THAT(
      refused([&] { cycle.launch(); }),
      HasSubstr("other cells of field 'u' are stored by kernels (mark_stored) than when the steps were captured"));
  domain->synchronize();
}

TEST_F(Outlets, captured_steps_must_end_as_they_begin) {
  make(routing::Transport::direct);
  domain->exchange();
  EXPECT_THAT(refused([&] {
                static_cast<void>(test::captured(*domain, [&] {
                  step();
                  step();
                }));
              }),
              HasSubstr("captured steps leave other cells of field 'u' stored by kernels (mark_stored)"));
}

TEST_F(Outlets, ranks_that_disagree_on_what_is_stored_are_told) {
  std::mutex mutex;
  std::string errors;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options = options_for(routing::Transport::direct);
    device::HostOptions host;
    host.ranks_on_node = 2;
    options.devices.existing.emplace(device::make_host_backend(host));
    options.timeout = std::chrono::seconds(5);
    Domain of_rank(extent, Stencil::box(1), comm, options);
    const auto field = of_rank.add_field<double>("u", {.buffers = 2});
    of_rank.realize();
    try {
      of_rank.exchange();
      if (comm.rank() == rank_id(1)) internals(of_rank).mark_stored(field, faces_in_z);
      of_rank.swap(field);
      of_rank.exchange();
      of_rank.synchronize();
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      errors += error.what();
    }
  });
  EXPECT_THAT(errors,
              HasSubstr("the two sides disagree on which fields, buffers, directions and depths are exchanged"));
}

}  // namespace
}  // namespace halocline
