// SPDX-License-Identifier: BSD-3-Clause
// Domains of boxes that ranks own, and options with the caller's cuts and owners. tests/property tests their exchanges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/local_ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using testing::Each;
using testing::HasSubstr;

/// Two uneven boxes; rank 0 owns the upper one.
const std::vector<Box> halves{{{5, 0, 0}, {8, 6, 4}}, {{0, 0, 0}, {5, 6, 4}}};

/// The errors of plan() on two ranks that own boxes.
std::vector<std::string> refused(const std::vector<Box>& boxes,
                                 const std::function<void(DomainOptions&, rank_id)>& change = {}) {
  std::vector<std::string> texts(2);
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.timeout = std::chrono::seconds(20);
    if (change) change(options, comm.rank());
    Domain domain(OwnedBoxes{{boxes[comm.rank().index()]}}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    std::string& mine = texts[comm.rank().index()];
    mine = test::error_of<InvalidArgument>([&] { domain.plan(); });
    if (mine == "(no error)") domain.close();
  });
  return texts;
}

TEST(OwnedBoxes, are_the_subdomains_of_their_ranks) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    const Box& mine = halves[comm.rank().index()];
    Domain domain(OwnedBoxes{{mine}}, Stencil::box(1), comm);
    const auto u = domain.add_field<float>("u");
    domain.plan();
    ASSERT_EQ(domain.subdomains().size(), 1u);
    EXPECT_EQ(domain.subdomains()[0].owned(), mine);
    domain.realize();
    EXPECT_EQ(domain.subdomains()[0].view(u).with_halo(), mine.grown(Vec3::filled(1), Vec3::filled(1)));
    EXPECT_THAT(domain.explain(), HasSubstr("8 x 6 x 4 cells by given: "));
    EXPECT_THAT(domain.explain(), HasSubstr("the given cuts"));
    EXPECT_THAT(domain.explain(), HasSubstr("placement  with the given owners"));
    domain.close();
  });
}

TEST(OwnedBoxes, of_one_process_are_in_the_order_of_its_devices) {
  Domain domain(OwnedBoxes{halves}, Stencil::box(1), {.devices = {.kind = DeviceKind::host, .per_rank = 2}});
  domain.add_field<float>("u");
  domain.plan();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(domain.subdomains()[i].owned(), halves[i]);
    EXPECT_EQ(domain.subdomains()[i].device(), static_cast<int>(i));
  }
}

TEST(OwnedBoxes, serve_several_steps) {
  Domain domain(OwnedBoxes{{Box::of_extent({8, 6, 4})}}, Stencil::box(1),
                {.boundaries = {Boundary::open, Boundary::periodic, Boundary::open}, .steps_per_exchange = 2});
  domain.add_field<float>("u");
  domain.plan();
  EXPECT_EQ(domain.subdomains()[0].update_box(0), (Box{{0, -1, 0}, {8, 7, 4}}));
  EXPECT_EQ(domain.subdomains()[0].update_box(1), Box::of_extent({8, 6, 4}));
}

TEST(OwnedBoxes, errors_are_the_same_on_all_ranks) {
  EXPECT_THAT(refused(halves), Each("(no error)"));
  EXPECT_THAT(refused({halves[0], halves[0]}),
              Each(HasSubstr("lowest position of all boxes in x is 5, of box [5, 8)")));
  EXPECT_THAT(
      refused({halves[0], Box::of_extent({6, 6, 4})}),
      Each(HasSubstr("box [5, 8) x [0, 6) x [0, 4) of rank 0 and box [0, 6) x [0, 6) x [0, 4) of rank 1 overlap")));
  EXPECT_THAT(refused({halves[0], Box::of_extent({4, 6, 4})}), Each(HasSubstr("cell 4, 0, 0 is in no rank's box")));
  const auto two_on_rank_1 = [](DomainOptions& options, rank_id rank) {
    options.devices.per_rank = rank == rank_id(1) ? 2 : 1;
  };
  EXPECT_THAT(refused(halves, two_on_rank_1),
              Each(HasSubstr("number of boxes of rank 1 is 1; allowed is one for each device that it drives, 2")));
  EXPECT_THAT(refused({halves[0], Box{{0, 0, 0}, {5, 6, 3}}}), Each(HasSubstr("cell 0, 0, 3 is in no rank's box")));
}

TEST(OwnedBoxes, exclude_options_that_cut_and_place) {
  const auto refusal = [](const std::function<void(DomainOptions&)>& change) {
    return refused(halves, [&](DomainOptions& options, rank_id) { change(options); });
  };
  const auto names = [](const char* option) {
    return Each(HasSubstr(std::string("option ") + option + " is set; allowed for a domain of OwnedBoxes are options"));
  };
  EXPECT_THAT(refusal([](DomainOptions& o) { o.partition.node_grid = Vec3{1, 1, 1}; }), names("partition.node_grid"));
  EXPECT_THAT(refusal([](DomainOptions& o) {
                o.partition.device_grid = Vec3{2, 1, 1};
              }),
              names("partition.device_grid"));
  EXPECT_THAT(refusal([](DomainOptions& o) { o.partition.cuts.emplace(); }), names("partition.cuts"));
  EXPECT_THAT(refusal([](DomainOptions& o) { o.partition.weights = {1, 2}; }), names("partition.weights"));
  EXPECT_THAT(refusal([](DomainOptions& o) { o.placement.owners.emplace_back(); }), names("placement.owners"));
}

TEST(OwnedBoxes, on_some_ranks_only_are_refused) {
  std::vector<std::string> texts(2);
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const bool own = comm.rank() == rank_id(1);
    const auto domain = own ? std::make_unique<Domain>(OwnedBoxes{{halves[1]}}, Stencil::box(1), comm)
                            : std::make_unique<Domain>(Vec3{8, 6, 4}, Stencil::box(1), comm);
    domain->add_field<float>("u");
    texts[comm.rank().index()] = test::error_of<InvalidArgument>([&] { domain->plan(); });
  });
  EXPECT_THAT(texts, Each(HasSubstr("decomposition: rank 0 has by partition and placement, rank 1 has OwnedBoxes")));
}

TEST(GivenCutsAndOwners, are_options_of_a_domain) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    DomainOptions options;
    options.partition.cuts = {{{0, 5, 8}, {0, 6}, {0, 4}}};
    options.placement.owners = {{.rank = rank_id(1)}, {.rank = rank_id(0)}};
    Domain domain({8, 6, 4}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    domain.plan();
    EXPECT_EQ(domain.subdomains()[0].owned(), halves[comm.rank().index()]);
    domain.close();
  });
}

}  // namespace
}  // namespace halocline
