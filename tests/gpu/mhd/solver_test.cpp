// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "comm/local_ranks.hpp"
#include "exchange/exchange.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/session.hpp"
#include "mhd/mhd.hpp"
#include "mhd/model.hpp"

namespace {

using namespace halocline;

template <typename T>
void on_gpus(const Vec3& extent, int order, int devices, const mhd::Parameters& parameters,
             const std::function<void(mhd::Solver<T>&)>& body, const Boundaries& boundaries = mhd::boundaries) {
  DomainOptions options;
  options.boundaries = boundaries;
  options.devices.kind = halocline::DeviceKind::cuda;
  options.devices.per_rank = devices;
  const auto comm = comm::serial();
  Domain domain(extent, mhd::stencil(order), *comm, options);
  const auto state = mhd::add_fields<T>(domain);
  domain.realize();
  {
    mhd::Solver<T> solver(domain, state, parameters, order);
    body(solver);
  }
  domain.close();
}

template <typename T>
std::vector<T> all_fields(mhd::Solver<T>& solver) {
  std::vector<T> all;
  for (int i = 0; i < mhd::field_count; ++i) {
    const auto field = solver.gather(i);
    all.insert(all.end(), field.begin(), field.end());
  }
  return all;
}

/// Astaroth's scheme, and the same with BoundaryOrder::as_ready.
struct Scheme {
  std::string transports;
  exchange::Messages messages = exchange::Messages::by_direction;
  mhd::BoundaryOrder boundary_order = mhd::BoundaryOrder::as_ready;
  Boundaries boundaries = all_periodic;
  int substeps = 1;  ///< for an exchange
  double forcing = 0;
  bool overlap = true;
  std::string variant = {};  ///< empty: the default
};

/// Large enough for every tile, and a multiple of none.
constexpr Vec3 extent{70, 45, 41};

TEST(MhdOnGpus, one_step_is_within_2_ulp_of_the_model_by_every_variant) {
  HALOCLINE_NEEDS_GPUS(1);
  const mhd::Parameters parameters;  // cells of width 1
  const auto start = mhd::initial_values({mhd::Start::random}, extent, parameters);
  for (const int order : mhd::orders) {
    mhd::Model model(extent, order, parameters);
    model.start<double>(start);
    model.step(1.19209e-7);
    on_gpus<double>(extent, order, 1, parameters, [&](auto& solver) {
      for (const auto& trial : solver.try_variants(1)) {
        SCOPED_TRACE("order " + std::to_string(order) + ", " + trial.variant);
        solver.choose_variant(trial.variant);
        solver.initialise(start);
        solver.step(1.19209e-7);
        for (int i = 0; i < mhd::field_count; ++i) {
          const auto distance = mhd::distance<double>(model.field(i), model.sizes(i), solver.gather(i));
          EXPECT_LE(distance.ulps, 2) << mhd::field_names[static_cast<std::size_t>(i)];
          EXPECT_EQ(distance.absolute, 0);
        }
      }
    });
  }
}

template <typename T>
void expect_same_bits(int order) {
  auto parameters = mhd::Parameters{};
  parameters.spacing = mhd::default_spacing(extent);
  const auto start = mhd::initial_values({mhd::Start::orszag_tang}, extent, parameters);
  std::vector<T> expected;
  mhd::Diagnostics of_expected;
  const auto expect_of = [&](int devices, const Boundaries& boundaries) {
    SCOPED_TRACE(boundaries == all_periodic ? "halos in x" : "x wrapped");
    const auto try_all = [&](auto& solver) {
      for (const auto& trial : solver.try_variants(1)) {
        solver.choose_variant(trial.variant);
        for (const bool overlap : {true, false}) {
          for (const bool graph : {true, false}) {
            SCOPED_TRACE("order " + std::to_string(order) + ", " + std::to_string(devices) + " GPUs, " + trial.variant +
                         (overlap ? ", overlap" : "") + (graph ? ", graph" : ""));
            solver.initialise(start);
            mhd::Settings settings;
            settings.steps = 5;
            settings.dt = 0.01;
            settings.overlap = overlap;
            settings.graph = graph;
            const auto result = solver.run(settings);
            const auto found = all_fields(solver);
            if (expected.empty()) {
              expected = found;
              of_expected = result.diagnostics.back();
            }
            ASSERT_EQ(found.size(), expected.size());
            EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)), 0);
            EXPECT_EQ(std::memcmp(&result.diagnostics.back().of, &of_expected.of, sizeof(of_expected.of)), 0);
          }
        }
      }
    };
    on_gpus<T>(extent, order, devices, parameters, try_all, boundaries);
  };
  for (int devices = 1; devices <= test::gpu_count(); ++devices) {
    for (const auto& boundaries : {all_periodic, mhd::boundaries}) expect_of(devices, boundaries);
  }
}

TEST(MhdOnGpus, has_the_same_bits_by_every_variant_on_any_number_of_gpus) {
  HALOCLINE_NEEDS_GPUS(1);
  for (const int order : mhd::orders) {
    expect_same_bits<double>(order);
    expect_same_bits<float>(order);
  }
}

std::vector<double> fields_by(const Scheme& scheme, int devices, int order) {
  auto parameters = mhd::Parameters{};
  parameters.spacing = mhd::default_spacing(extent);
  DomainOptions options;
  options.devices.kind = halocline::DeviceKind::cuda;
  options.devices.per_rank = devices;
  options.routing.policy = routing::Policy::parse(scheme.transports);
  options.routing.messages = scheme.messages;
  options.boundaries = scheme.boundaries;
  options.steps_per_exchange = scheme.substeps;
  const auto comm = comm::serial();
  Domain domain(extent, mhd::stencil(order), *comm, options);
  const auto state = mhd::add_fields<double>(domain);
  domain.realize();
  std::vector<double> found;
  {
    mhd::ForcingSettings forcing;
    forcing.amplitude = scheme.forcing;
    mhd::Solver<double> solver(domain, state, parameters, order, forcing);
    solver.initialise(mhd::initial_values({mhd::Start::orszag_tang}, extent, parameters));
    solver.choose_boundary_order(scheme.boundary_order);
    if (!scheme.variant.empty()) solver.choose_variant(scheme.variant);
    mhd::Settings settings;
    settings.steps = 5;
    settings.dt = 0.01;
    settings.overlap = scheme.overlap;
    static_cast<void>(solver.run(settings));
    found = all_fields(solver);
  }
  domain.close();
  return found;
}

TEST(MhdOnGpus, has_the_same_bits_by_any_messages_and_boundary_updater) {
  HALOCLINE_NEEDS_GPUS(1);
  for (const int order : {2, 6}) {
    const auto expected =
        fields_by({"direct,self", exchange::Messages::by_neighbour, mhd::BoundaryOrder::after_all}, 1, order);
    for (int devices = 1; devices <= test::gpu_count(); ++devices) {
      for (const std::string transports : {"mpi_staged", "peer_copy,mpi_staged", "direct,self"}) {
        for (const auto boundary_order : {mhd::BoundaryOrder::after_all, mhd::BoundaryOrder::as_ready}) {
          SCOPED_TRACE("order " + std::to_string(order) + ", " + std::to_string(devices) + " GPUs, " + transports +
                       (boundary_order == mhd::BoundaryOrder::as_ready ? ", as ready" : ""));
          const auto found = fields_by({transports, exchange::Messages::by_direction, boundary_order}, devices, order);
          ASSERT_EQ(found.size(), expected.size());
          EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)), 0);
        }
      }
    }
  }
}

/// Wide halos, whose cells the kernels compute: boxes that begin below the first owned cell, and waves beyond the domain.
TEST(MhdOnGpus, has_the_same_bits_with_any_substeps_for_an_exchange) {
  HALOCLINE_NEEDS_GPUS(1);
  std::vector<std::string> variants;
  on_gpus<double>(extent, 6, 1, {}, [&](auto& solver) {
    for (const auto& trial : solver.try_variants(1)) variants.push_back(trial.variant);
  });
  Scheme scheme{"direct,self", exchange::Messages::by_neighbour};
  scheme.forcing = 0.1;
  const auto expected = fields_by(scheme, 1, 6);
  for (int devices = 1; devices <= std::min(test::gpu_count(), 4); ++devices) {
    for (const auto& boundaries : {all_periodic, mhd::boundaries}) {
      for (const int substeps : {2, 3, 6}) {
        // Two subdomains side by side hold halos for three substeps.
        if (substeps == 6 && devices > 1) continue;
        for (const std::string& variant : variants) {
          for (const bool overlap : {false, true}) {
            SCOPED_TRACE(std::to_string(devices) + " GPUs, " + std::to_string(substeps) + " substeps, " + variant +
                         (boundaries == all_periodic ? ", halos in x" : "") + (overlap ? ", overlap" : ""));
            scheme.boundaries = boundaries;
            scheme.substeps = substeps;
            scheme.variant = variant;
            scheme.overlap = overlap;
            const auto found = fields_by(scheme, devices, 6);
            ASSERT_EQ(found.size(), expected.size());
            EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)), 0);
          }
        }
      }
    }
  }
}

}  // namespace
