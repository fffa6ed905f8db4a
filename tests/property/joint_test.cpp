// SPDX-License-Identifier: BSD-3-Clause
// Partition and placement by time, against every grid with every placement.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "io/json.hpp"
#include "plan/plan.hpp"
#include "support/effort.hpp"
#include "support/unequal_case.hpp"

namespace halocline::test {
namespace {

struct Times {
  double found = 0;
  double exact_and_qap = 0;
  double optimum = std::numeric_limits<double>::max();
  std::int64_t plans = 0;
};

Times times_of(PlanRequest request) {
  Times times;
  times.exact_and_qap = simulated_seconds(exact_and_qap(request));
  request.partition = partition::Method::fastest;
  request.placement.method = placement::Method::fastest;
  times.found = simulated_seconds(make_plan(request));
  for_each_plan(request, [&](const Plan& plan) {
    times.optimum = std::min(times.optimum, simulated_seconds(plan));
    ++times.plans;
  });
  return times;
}

TEST(Joint, IsWithinTwoPercentOfTheOptimumAndNeverWorseThanExactAndQap) {
  for (std::uint64_t seed = 1; seed <= some_of(30u); ++seed) {
    const Times times = times_of(unequal_case(seed));
    EXPECT_LE(times.found, 1.02 * times.optimum) << "seed " << seed;
    EXPECT_LE(times.found, times.exact_and_qap * (1 + 1e-9)) << "seed " << seed;
    EXPECT_GE(times.found, times.optimum * (1 - 1e-9)) << "seed " << seed;
  }
}

// On this ring of five devices two orders load the same channels with the same bytes; in one of them more messages meet on two of them, and
// it takes 7 % longer.
TEST(Joint, TellsApartOrdersWhoseChannelsCarryTheSame) {
  const Times times = times_of(unequal_case(178));
  EXPECT_LE(times.found, 1.0001 * times.optimum);
}

/// A number of the environment.
std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

// For bench/results, with the first and the last seed in the environment.
TEST(Joint, DISABLED_Record) {
  fmt::print("seed,nodes,devices,plans,exact_and_qap_s,found_s,optimum_s\n");
  const std::uint64_t last = number_of("HALOCLINE_JOINT_LAST", 500);
  for (std::uint64_t seed = number_of("HALOCLINE_JOINT_FIRST", 1); seed <= last; ++seed) {
    const PlanRequest request = unequal_case(seed);
    const Times times = times_of(request);
    fmt::print("{},{},{},{},{:.9e},{:.9e},{:.9e}\n", seed, request.machine.nodes.size(), request.machine.device_count(),
               times.plans, times.exact_and_qap, times.found, times.optimum);
    std::fflush(stdout);
  }
}

/// A case in the words of the command line.
std::string words_of(const PlanRequest& request) {
  std::string words = fmt::format("--size {} {} {} --radius {}", request.extent.x, request.extent.y, request.extent.z,
                                  request.stencil.face(0, Side::lower));
  if (!request.stencil.reads(Direction::of(1, 1, 1))) words += " --no-edges --no-corners";
  std::string open;
  for (std::size_t dim = 0; dim < 3; ++dim) {
    if (request.boundaries[dim] == Boundary::open)
      open += fmt::format("{}{}", open.empty() ? " --open " : ",", "xyz"[dim]);
  }
  std::string fields;
  for (const FieldDescriptor& field : request.fields) {
    fields += fmt::format("{}1x{}", fields.empty() ? " --fields " : ",", to_string(field.element));
  }
  return words + open + fields;
}

// For bench/shaped_links.py, with a folder besides: a file SEED.json for each case.
TEST(Joint, DISABLED_Export) {
  const char* const folder = std::getenv("HALOCLINE_JOINT_FOLDER");
  ASSERT_NE(folder, nullptr) << "HALOCLINE_JOINT_FOLDER is not set";
  const std::uint64_t last = number_of("HALOCLINE_JOINT_LAST", 500);
  for (std::uint64_t seed = number_of("HALOCLINE_JOINT_FIRST", 1); seed <= last; ++seed) {
    const PlanRequest request = unequal_case(seed);
    std::ofstream out(fmt::format("{}/{}.json", folder, seed));
    out << fmt::format("{{\"arguments\": \"{}\", \"machine\": {}}}\n", words_of(request), io::to_json(request.machine));
    ASSERT_TRUE(out.flush()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace halocline::test
