// SPDX-License-Identifier: BSD-3-Clause
// The result has the same bits for any number of devices, ranks and routes.
#include <gtest/gtest.h>

#include <cstring>
#include <mutex>
#include <random>

#include "exchange/exchange.hpp"
#include "mhd_case.hpp"

namespace {

using halocline::Vec3;
using mhd_test::Fields;
using mhd_test::Shape;

struct Way {
  Shape shape;
  std::optional<bool> overlap = true;
  bool graph = false;
  std::int64_t warm_up = 0;
  mhd::BoundaryOrder boundary_order = mhd::BoundaryOrder::after_all;
  std::int64_t diagnostics_every = 0;
  std::int64_t split = 0;  ///< steps of a run before, of the same steps
};

struct Outcome {
  std::array<std::vector<double>, mhd::field_count> fields;
  mhd::Diagnostics diagnostics;
};

constexpr Vec3 extent{18, 14, 16};

template <typename T>
Outcome run(const Way& way, const mhd::ForcingSettings& forcing, std::optional<double> dt) {
  const Vec3& extent = way.shape.extent;
  const auto parameters = mhd_test::fluid(extent);
  Outcome outcome;
  std::mutex one;
  mhd_test::on_solvers<T>(way.shape, parameters, forcing, [&](halocline::Domain& domain, mhd::Solver<T>& solver) {
    solver.initialise(mhd::initial_values({mhd::Start::decaying}, extent, parameters));
    solver.choose_boundary_order(way.boundary_order);
    mhd::Settings settings;
    settings.steps = 5;
    settings.warm_up = way.warm_up;
    settings.dt = dt;
    settings.cfl_every = 2;
    settings.overlap = way.overlap;
    settings.graph = way.graph;
    settings.diagnostics_every = way.diagnostics_every;
    if (way.split > 0) {
      settings.steps -= way.split;
      auto before = settings;
      before.steps = way.split;
      static_cast<void>(solver.run(before));
    }
    const auto result = solver.run(settings);
    const auto fields = mhd_test::gather(solver);
    const std::lock_guard lock(one);
    if (domain.plan().comm.rank().value() != 0) return;
    for (std::size_t i = 0; i < fields.size(); ++i) outcome.fields[i].assign(fields[i].begin(), fields[i].end());
    outcome.diagnostics = result.diagnostics.back();
  });
  return outcome;
}

void expect_same(const Outcome& a, const Outcome& b) {
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    ASSERT_FALSE(a.fields[i].empty());
    ASSERT_EQ(a.fields[i].size(), b.fields[i].size());
    EXPECT_EQ(std::memcmp(a.fields[i].data(), b.fields[i].data(), a.fields[i].size() * sizeof(double)), 0)
        << mhd::field_names[i];
  }
  for (std::size_t i = 0; i < mhd::quantity_count; ++i) {
    EXPECT_EQ(std::memcmp(&a.diagnostics.of[i], &b.diagnostics.of[i], sizeof(mhd::Reduced)), 0)
        << mhd::quantity_names[i];
  }
}

mhd::ForcingSettings some_forcing() {
  mhd::ForcingSettings forcing;
  forcing.amplitude = 0.1;
  forcing.wave_number = 2;
  return forcing;
}

TEST(Bits, AreTheSameForAnyDevicesAndRanks) {
  for (const int order : {2, 6}) {
    const auto alone = run<double>({{extent, order}}, some_forcing(), {});
    for (const auto& [ranks, devices] :
         std::vector<std::pair<int, int>>{{1, 2}, {1, 3}, {2, 1}, {2, 2}, {1, 8}, {4, 2}}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks of " + std::to_string(devices) + ", order " + std::to_string(order));
      expect_same(alone, run<double>({{extent, order, ranks, devices}}, some_forcing(), {}));
    }
    for (const int devices : {1, 4}) {
      SCOPED_TRACE("halos in x, too, on " + std::to_string(devices));
      Shape shape{extent, order, 1, devices};
      shape.boundaries = halocline::all_periodic;
      expect_same(alone, run<double>({shape, false}, some_forcing(), {}));
    }
  }
}

TEST(Bits, AreTheSameForAnyRouteOverlapAndGraph) {
  const auto alone = run<double>({{extent, 6}}, {}, 0.01);
  for (const std::string transports : {"peer_copy,self", "direct,self", "ipc_copy,peer_copy,self", "mpi_staged"}) {
    for (const bool overlap : {false, true}) {
      SCOPED_TRACE(transports + (overlap ? ", overlapped" : ""));
      const int ranks = transports == "mpi_staged" || transports[0] == 'i' ? 2 : 1;
      const Way way{{extent, 6, ranks, 4 / ranks, transports}, overlap};
      expect_same(alone, run<double>(way, {}, 0.01));
    }
  }
  for (const bool overlap : {false, true}) {
    SCOPED_TRACE(overlap ? "graph, overlapped" : "graph");
    expect_same(alone, run<double>({{extent, 6, 1, 4}, overlap, true}, {}, 0.01));
  }
}

/// Astaroth's scheme, and the same with BoundaryOrder::as_ready.
TEST(Bits, AreTheSameForMessagesByDirectionAndBoundarySegmentsAsTheyAreReady) {
  using halocline::exchange::Messages;
  constexpr auto z_order = halocline::partition::Method::z_order;
  for (const int order : {2, 6}) {
    const auto alone = run<double>({{extent, order}}, some_forcing(), 0.01);
    for (const auto& [ranks, devices] : std::vector<std::pair<int, int>>{{2, 1}, {4, 1}, {2, 4}}) {
      for (const std::string transports : {"mpi_device,mpi_staged", "mpi_staged", "direct,self"}) {
        for (const auto boundary_order : {mhd::BoundaryOrder::after_all, mhd::BoundaryOrder::as_ready}) {
          SCOPED_TRACE(std::to_string(ranks) + " ranks of " + std::to_string(devices) + ", order " +
                       std::to_string(order) + ", " + transports +
                       (boundary_order == mhd::BoundaryOrder::as_ready ? ", as ready" : ""));
          const Shape shape{extent, order, ranks, devices, transports, Messages::by_direction, z_order};
          expect_same(alone, run<double>({shape, true, false, 0, boundary_order}, some_forcing(), 0.01));
        }
      }
    }
    const Shape shape{extent, order, 1, 4};
    expect_same(run<double>({{extent, order}}, {}, 0.01),
                run<double>({shape, true, true, 0, mhd::BoundaryOrder::as_ready}, {}, 0.01));
  }
}

/// One exchange for several substeps: on ranks and devices, of random sizes that wide halos fit into, halos in x and none, steps that
/// end between two exchanges, runs that stop there, and waves that reach the halos.
TEST(Bits, AreTheSameForAnySubstepsForAnExchange) {
  std::mt19937 random(68);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (const int substeps : {2, 3, 6}) {
    for (const auto& [ranks, devices] : std::vector<std::pair<int, int>>{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 4}}) {
      Shape shape{{12, 12, 12}, substeps == 3 ? 6 : 2, ranks, devices};
      const int least = 2 * substeps * shape.order / 2;  // of two subdomains side by side
      for (int dim = 0; dim < 3; ++dim) shape.extent[dim] = least + below(6);
      if (below(2) == 1) shape.boundaries = halocline::all_periodic;
      const auto alone = run<double>({shape}, some_forcing(), {});
      if (ranks > 1 && below(2) == 1) shape.transports = "mpi_staged";
      shape.substeps = substeps;
      Way way{shape, below(2) == 1};
      way.boundary_order = static_cast<mhd::BoundaryOrder>(below(2));
      way.diagnostics_every = below(3);
      way.split = below(5);
      SCOPED_TRACE(halocline::to_string(shape.extent) + ", " + std::to_string(ranks) + " ranks of " +
                   std::to_string(devices) + ", " + std::to_string(substeps) + " substeps, " +
                   (shape.boundaries == halocline::all_periodic ? "halos in x, " : "") + shape.transports +
                   (way.overlap.value() ? " overlapped" : "") + ", split after " + std::to_string(way.split));
      expect_same(alone, run<double>(way, some_forcing(), {}));
    }
  }
}

TEST(Bits, AreTheSameForAnySubstepsForAnExchangeInAGraph) {
  const auto alone = run<double>({{extent, 2}, true, false, 7}, {}, 0.01);
  for (const int substeps : {2, 3, 6}) {
    for (const bool overlap : {false, true}) {
      SCOPED_TRACE(std::to_string(substeps) + (overlap ? " substeps, overlapped" : " substeps"));
      Shape shape{extent, 2, 1, 4};
      shape.substeps = substeps;
      expect_same(alone, run<double>({shape, overlap, true, 7}, {}, 0.01));
    }
  }
  Shape shape{{20, 20, 20}, 2, 1, 2};
  const auto of_three_steps = run<double>({shape, true, false, 10}, {}, 0.01);
  shape.substeps = 9;
  expect_same(of_three_steps, run<double>({shape, true, true, 10}, {}, 0.01));
}

/// Halos that are rounded when they are sent: steps that all begin with an exchange do not depend on what interrupts the run.
TEST(Bits, OfRoundedHalosAreTheSameForARunInParts) {
  Shape shape{{10, 18, 19}, 6, 1, 4};
  shape.substeps = 3;
  shape.wire = halocline::Element::f32;
  const auto whole = run<double>({shape}, some_forcing(), 0.01);
  Way way{shape};
  way.split = 2;
  way.diagnostics_every = 1;
  expect_same(whole, run<double>(way, some_forcing(), 0.01));
}

TEST(Bits, AreTheSameWhereOverlapIsTried) {
  const auto alone = run<double>({{extent, 2}, true, false, 15}, some_forcing(), 0.01);
  expect_same(alone, run<double>({{extent, 2, 2, 2}, {}, false, 15}, some_forcing(), 0.01));
  expect_same(run<double>({{extent, 2}, true, false, 15}, {}, 0.01),
              run<double>({{extent, 2, 1, 4}, {}, true, 15}, {}, 0.01));
}

TEST(Bits, AreTheSameInSinglePrecision) {
  const auto alone = run<float>({{extent, 4}}, some_forcing(), 0.01);
  expect_same(alone, run<float>({{extent, 4, 2, 3}}, some_forcing(), 0.01));
}

}  // namespace
