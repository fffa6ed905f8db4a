// SPDX-License-Identifier: BSD-3-Clause
#include "verify.hpp"

#include <gtest/gtest.h>

#include "halocline/session.hpp"

namespace {

using namespace halocline;

struct Prepared {
  std::unique_ptr<Domain> domain;
  field_id bytes;
  field_id doubles;
};

Prepared prepared(const Stencil& radius, const Boundaries& boundaries = all_periodic,
                  const std::array<bool, 3>& staggered = {}) {
  DomainOptions options;
  options.devices.per_rank = 4;
  options.boundaries = boundaries;
  Prepared made{std::make_unique<Domain>(Vec3{9, 10, 11}, radius, options), {}, {}};
  made.bytes = made.domain->add_field<std::int8_t>("b", {.staggered = staggered}).id;
  made.doubles = made.domain->add_field<double>("d", {.staggered = staggered}).id;
  made.domain->on_open_boundary({});
  made.domain->realize();
  cli::fill_for_verification(*made.domain, 1);
  return made;
}

TEST(Verify, PassesAfterAnExchange) {
  const auto made = prepared(Stencil::per_side({1, 3, 2}, {2, 1, 3}));
  made.domain->exchange();
  const auto verdict = cli::verify(*made.domain, 1);
  EXPECT_TRUE(verdict.passed()) << verdict.first;
  EXPECT_EQ(verdict.first, "");
  EXPECT_GT(verdict.halo_cells, 1000);
  EXPECT_GT(verdict.other_cells, 2 * 9 * 10 * 11 - 1);
  made.domain->close();
}

TEST(Verify, PassesWhereThereAreNoHalos) {
  Domain domain(Vec3{9, 10, 11}, Stencil::box(0), DomainOptions{});
  domain.add_field<double>("d");
  domain.realize();
  cli::fill_for_verification(domain, 1);
  domain.exchange();
  const auto verdict = cli::verify(domain, 1);
  EXPECT_TRUE(verdict.passed()) << verdict.first;
  EXPECT_EQ(verdict.halo_cells, 0);
  EXPECT_EQ(verdict.messages, 0);
  domain.close();
}

TEST(Verify, FailsWithoutAnExchange) {
  const auto made = prepared(Stencil::box(1));
  const auto verdict = cli::verify(*made.domain, 1);
  EXPECT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.halo_wrong, verdict.halo_cells);
  EXPECT_EQ(verdict.other_changed, 0);
  EXPECT_NE(verdict.first.find("does not hold what its neighbour owns"), std::string::npos);
  made.domain->close();
}

TEST(Verify, FailsOnHalosOfTheRoundBefore) {
  const auto made = prepared(Stencil::box(1));
  made.domain->exchange();
  cli::fill_for_verification(*made.domain, 1);
  made.domain->exchange();
  EXPECT_TRUE(cli::verify(*made.domain, 1).passed());
  EXPECT_FALSE(cli::verify(*made.domain, 2).passed());
  made.domain->close();
}

TEST(Verify, SeesOneWrongHaloCell) {
  const auto made = prepared(Stencil::box(2));
  made.domain->exchange();
  made.domain->synchronize();
  const auto& subdomain = made.domain->subdomains()[2];
  const auto view = subdomain.bytes(made.doubles);
  view(view.with_halo().lo) ^= std::byte{1};
  const auto verdict = cli::verify(*made.domain, 1);
  EXPECT_EQ(verdict.halo_wrong, 1);
  EXPECT_EQ(verdict.other_changed, 0);
  EXPECT_NE(verdict.first.find("field d"), std::string::npos) << verdict.first;
  made.domain->close();
}

TEST(Verify, SeesOneChangedOwnedCellAndOneTouchedCellBeyondTheRadius) {
  const auto made = prepared(Stencil::star(1));
  made.domain->exchange();
  made.domain->synchronize();
  const auto view = made.domain->subdomains()[0].bytes(made.bytes);
  view(view.owned().lo) ^= std::byte{1};
  view(view.with_halo().lo) ^= std::byte{1};  // a corner, which is off
  const auto verdict = cli::verify(*made.domain, 1);
  EXPECT_EQ(verdict.halo_wrong, 0);
  EXPECT_EQ(verdict.other_changed, 2);
  EXPECT_FALSE(verdict.passed());
  made.domain->close();
}

TEST(Verify, HalosBeyondOpenEndsMustStayUntouched) {
  const auto made = prepared(Stencil::box(1), {Boundary::open, Boundary::periodic, Boundary::open});
  made.domain->exchange();
  EXPECT_TRUE(cli::verify(*made.domain, 1).passed());
  made.domain->synchronize();
  const auto view = made.domain->subdomains()[0].bytes(made.bytes);
  ASSERT_EQ(view.with_halo().lo.x, -1);
  view(view.with_halo().lo) ^= std::byte{1};
  EXPECT_EQ(cli::verify(*made.domain, 1).other_changed, 1);
  made.domain->close();
}

TEST(Verify, ChecksTheAdditionalLayerOfStaggeredFields) {
  const auto made = prepared(Stencil::box(2), {Boundary::open, Boundary::open, Boundary::periodic}, {true, true, true});
  made.domain->exchange();
  const auto right = cli::verify(*made.domain, 1);
  EXPECT_TRUE(right.passed()) << right.first;
  made.domain->synchronize();
  int layers = 0;
  for (const auto& subdomain : made.domain->subdomains()) {
    const auto view = subdomain.bytes(made.doubles);
    if (view.owned().hi.y == 11) {
      ++layers;
      view(view.owned().lo.x, 10, view.with_halo().lo.z) ^= std::byte{1};
    }
  }
  EXPECT_GT(layers, 0);
  EXPECT_EQ(cli::verify(*made.domain, 1).halo_wrong, layers);
  made.domain->close();
}

}  // namespace
