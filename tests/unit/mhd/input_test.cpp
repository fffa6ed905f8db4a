// SPDX-License-Identifier: BSD-3-Clause
// Refused settings, and the initial states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "comm/local_ranks.hpp"
#include "halocline/error.hpp"
#include "mhd_case.hpp"

namespace {

using halocline::InvalidArgument;
using halocline::Vec3;
using testing::HasSubstr;

template <typename F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

constexpr Vec3 input_extent{12, 12, 12};

TEST(Input, OrdersAre2To8) {
  EXPECT_THAT(refusal([] { static_cast<void>(mhd::stencil(5)); }),
              HasSubstr("the order is 5; allowed are 2, 4, 6 and 8"));
  EXPECT_EQ(mhd::stencil(6), halocline::Stencil::box(3).without_corners());
}

TEST(Input, ParametersAreNamed) {
  const auto of = [](auto&& change) {
    return refusal([&] {
      mhd::Parameters parameters;
      change(parameters);
      parameters.check();
    });
  };
  EXPECT_THAT(of([](auto& p) { p.viscosity = -1; }),
              HasSubstr("viscosity is -1; allowed is 0 or a finite number above"));
  EXPECT_THAT(of([](auto& p) { p.adiabatic_index = 1; }),
              HasSubstr("adiabatic index is 1; allowed is a finite number above 1"));
  EXPECT_THAT(of([](auto& p) { p.spacing[1] = 0; }), HasSubstr("spacing is 0; allowed is a finite number above 0"));
  EXPECT_THAT(of([](auto& p) { p.permeability = NAN; }), HasSubstr("permeability is nan"));
  EXPECT_EQ(of([](auto&) {}), "nothing was thrown");
}

TEST(Input, SettingsThatExcludeEachOther) {
  const auto parameters = mhd_test::fluid(input_extent);
  const auto of = [&](const mhd::ForcingSettings& forcing, auto&& change) {
    mhd::Settings settings;
    settings.steps = 2;
    settings.dt = 0.01;
    change(settings);
    std::string said;
    mhd_test::on_solvers<double>({input_extent, 2, 1, 1}, parameters, forcing, [&](auto&, auto& solver) {
      solver.initialise(mhd::initial_values({mhd::Start::forced}, input_extent, parameters));
      said = refusal([&] { static_cast<void>(solver.run(settings)); });
    });
    return said;
  };
  mhd::ForcingSettings forced;
  forced.amplitude = 0.1;
  forced.wave_number = 2;
  EXPECT_THAT(of(forced, [](auto& s) { s.graph = true; }), HasSubstr("graph excludes forcing"));
  EXPECT_THAT(of({}, [](auto& s) { s.graph = true, s.dt.reset(); }), HasSubstr("graph needs a fixed dt"));
  EXPECT_THAT(of({}, [](auto& s) { s.steps = 0; }), HasSubstr("steps is 0; allowed is 1 or more"));
  EXPECT_THAT(of({}, [](auto& s) { s.cfl = 2; }), HasSubstr("cfl is 2; allowed is above 0 and at most 1"));
  EXPECT_EQ(of({}, [](auto&) {}), "nothing was thrown");
  EXPECT_EQ(of(forced, [](auto& s) { s.dt.reset(); }), "nothing was thrown");
}

TEST(Input, ForcingNeedsWavesThatTheDomainHolds) {
  mhd::ForcingSettings forcing;
  forcing.amplitude = 0.1;
  forcing.wave_number = 9;
  EXPECT_THAT(refusal([&] {
                mhd::Forcing(forcing, input_extent, {1, 1, 1}, 1);
              }),
              HasSubstr("holds no wave of 4 cells"));
  forcing.wave_number = 2;
  forcing.helicity = 1.5;
  EXPECT_THAT(refusal([&] {
                mhd::Forcing(forcing, input_extent, {1, 1, 1}, 1);
              }),
              HasSubstr("helicity is 1.5; allowed is -1 to 1"));
}

TEST(Input, ADomainMustBeWideEnough) {
  const auto serial = halocline::comm::serial();
  halocline::Domain domain(input_extent, mhd::stencil(4), *serial);
  const auto state = mhd::add_fields<double>(domain);
  domain.realize();
  EXPECT_THAT(refusal([&] { mhd::Solver<double>(domain, state, mhd_test::fluid(input_extent), 6); }),
              HasSubstr("radius is less than 3, which differences of order 6 read"));
  domain.close();
}

TEST(Input, AnExchangeServesTwoSubstepsOrWholeSteps) {
  const auto of = [](int substeps, std::optional<halocline::Element> wire) {
    mhd_test::Shape shape{input_extent, 2, 2, 1};
    shape.substeps = substeps;
    shape.wire = wire;
    return refusal(
        [&] { mhd_test::on_solvers<double>(shape, mhd_test::fluid(input_extent), {}, [](auto&, auto&) {}); });
  };
  for (const int substeps : {1, 2, 3, 6}) EXPECT_EQ(of(substeps, {}), "nothing was thrown");
  EXPECT_THAT(of(4, {}), HasSubstr("steps_per_exchange is 4 (substeps); allowed are 1, 2 and multiples of 3"));
  EXPECT_THAT(of(5, {}), HasSubstr("steps_per_exchange is 5"));
  EXPECT_THAT(of(12, {}), HasSubstr("steps_per_exchange is 12; allowed for this domain are 1 to 6"));
  EXPECT_EQ(of(3, halocline::Element::f32), "nothing was thrown");
  EXPECT_THAT(of(2, halocline::Element::f32),
              HasSubstr("field 'lnrho' has a wire format, and the domain's steps_per_exchange is 2 (substeps); allowed "
                        "are 1 and 3"));
}

TEST(Input, AnAlfvenWaveNeedsAField) {
  EXPECT_THAT(refusal([] { static_cast<void>(mhd::initial_values({mhd::Start::alfven_wave}, input_extent, {})); }),
              HasSubstr("imposed field"));
}

TEST(Input, VariantsAreNamed) {
  mhd_test::on_solvers<double>({input_extent, 2, 1, 1}, mhd_test::fluid(input_extent), {}, [&](auto&, auto& solver) {
    EXPECT_THAT(refusal([&] { solver.choose_variant("frob"); }), HasSubstr("the variant is 'frob'; allowed are cells"));
    EXPECT_EQ(refusal([&] { solver.choose_variant("cells"); }), "nothing was thrown");
  });
}

/// Every initial state is finite and stays so for a few steps with the largest allowed time step.
TEST(Starts, RunAndStayFinite) {
  for (std::size_t i = 0; i < mhd::start_names.size(); ++i) {
    SCOPED_TRACE(mhd::start_names[i]);
    const auto start = static_cast<mhd::Start>(i);
    const auto parameters = mhd::adapted(mhd_test::fluid(input_extent), start);
    auto forcing = mhd::default_forcing(start);
    mhd_test::on_solvers<float>({input_extent, 4, 1, 2}, parameters, forcing, [&](auto&, auto& solver) {
      solver.initialise(mhd::initial_values({start}, input_extent, parameters));
      const auto before = solver.diagnostics();
      mhd::Settings settings;
      settings.steps = 12;
      settings.cfl_every = 1;
      settings.diagnostics_every = 6;
      const auto result = solver.run(settings);
      EXPECT_EQ(result.steps, 12);
      EXPECT_EQ(result.step_seconds.size(), 12u);
      EXPECT_GT(result.median_step_seconds, 0);
      ASSERT_EQ(result.diagnostics.size(), 2u);
      EXPECT_GT(result.time, 0);
      EXPECT_NE(result.diagnostics[1].of[mhd::ux].rms + result.diagnostics[1].of[mhd::uy].rms,
                before.of[mhd::ux].rms + before.of[mhd::uy].rms);
      if (start == mhd::Start::forced) {
        EXPECT_GT(result.diagnostics[1].of[mhd::kinetic_energy].mean, 0);
      }
    });
  }
}

/// Steps that end between two exchanges have the mean of those up to the next one.
TEST(Timings, OfStepsThatShareAnExchangeAreMeans) {
  constexpr Vec3 extent{12, 12, 12};
  const auto parameters = mhd_test::fluid(extent);
  for (const auto& [substeps, count] : std::vector<std::pair<int, std::size_t>>{{1, 7}, {2, 4}, {3, 7}, {6, 4}}) {
    mhd_test::Shape shape{extent, 2, 1, 2};
    shape.substeps = substeps;
    mhd_test::on_solvers<float>(shape, parameters, {}, [&, count = count](auto&, auto& solver) {
      solver.initialise(mhd::initial_values({mhd::Start::orszag_tang}, extent, parameters));
      mhd::Settings settings;
      settings.steps = 7;
      settings.dt = 1e-4;
      const auto result = solver.run(settings);
      ASSERT_EQ(result.step_seconds.size(), count);
      double all = 0;
      for (const double seconds : result.step_seconds) all += seconds * (count == 7 ? 1 : 2);
      all -= count == 7 ? 0 : result.step_seconds.back();  // the last step's own
      EXPECT_LE(all, result.total_seconds);
      EXPECT_GT(all, 0);
    });
  }
}

/// In each mode: the step times add up to at most the total, even if the subdomains are late alternately.
TEST(Timings, OfStepsAreWithinTheTotal) {
  const auto parameters = mhd_test::fluid(extent);
  for (const bool graph : {false, true}) {
    for (const bool overlap : {false, true}) {
      for (const auto& [ranks, devices] : {std::pair{1, 1}, {1, 4}, {2, 2}}) {
        SCOPED_TRACE(std::to_string(ranks) + " x " + std::to_string(devices) + (graph ? " graph" : "") +
                     (overlap ? " overlap" : ""));
        mhd_test::on_solvers<float>({extent, 2, ranks, devices}, parameters, {}, [&](auto&, auto& solver) {
          solver.initialise(mhd::initial_values({mhd::Start::orszag_tang}, extent, parameters));
          mhd::Settings settings;
          settings.steps = 21;
          settings.warm_up = 2;
          settings.dt = 1e-4;
          settings.graph = graph;
          settings.overlap = overlap;
          const auto result = solver.run(settings);
          const double lengths = graph ? 2 : 1;  // a graph replays two steps at once; the last step runs eagerly
          double all = 0;
          for (std::size_t i = 0; i < result.step_seconds.size(); ++i) {
            EXPECT_GE(result.step_seconds[i], 0);
            all += result.step_seconds[i] * (graph && i + 1 < result.step_seconds.size() ? lengths : 1);
          }
          EXPECT_LE(all, result.total_seconds);
        });
      }
    }
  }
}

}  // namespace
