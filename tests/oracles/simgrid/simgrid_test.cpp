// SPDX-License-Identifier: BSD-3-Clause
#include "oracles/simgrid/simgrid.hpp"

#include <gtest/gtest.h>

#include "support/flow_case.hpp"

namespace halocline::model::simulation {
namespace {

void expect_agreement(unsigned seed, int links, int flows, int by_weight) {
  const test::FlowCase some = test::random_flows(seed, links, flows, by_weight);
  const auto found = ends_by_max_min(some.bandwidths, some.flows);
  const auto expected = ends_by_simgrid(some.bandwidths, some.flows);
  for (std::size_t f = 0; f < expected.size(); ++f) {
    ASSERT_NEAR(found[f], expected[f], 1e-6 * expected[f] + 1e-10) << "seed " << seed << ", flow " << f;
  }
}

TEST(SimGrid, MaxMinAgrees) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int by_weight = seed % 2 == 0 ? 0 : 1 + static_cast<int>(seed % 4);
    expect_agreement(seed, 1 + static_cast<int>(seed % 9), 1 + static_cast<int>(seed), by_weight);
  }
}

TEST(SimGrid, MaxMinAgreesOnLargeCases) {
  for (unsigned seed = 100; seed < 106; ++seed) expect_agreement(seed, 150, 1000, seed % 2 == 0 ? 0 : 40);
}

}  // namespace
}  // namespace halocline::model::simulation
