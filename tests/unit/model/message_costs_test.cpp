// SPDX-License-Identifier: BSD-3-Clause
// Costs of messages are found from times of exchanges, and those that the times do not show are nothing.
#include "model/message_costs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "halocline/error.hpp"

namespace halocline::model {
namespace {

using machine::Software;
using testing::HasSubstr;

/// Core time of messages, launches and bytes, and one latency or a chain of them: as the simulation, linear in pieces.
double seconds(const Software& software, double messages, double launches, double bytes) {
  return std::max(messages * software.mpi_overhead + launches * software.device_launch +
                      (software.mpi_injection > 0 ? bytes / software.mpi_injection : 0),
                  20e-6) +
         software.mpi_latency;
}

MessageTrial trial(double messages, double launches, const Software& of, double error = 0, double bytes = 20e3) {
  return {(1 + error) * seconds(of, messages, launches, bytes),
          [=](const Software& software) { return seconds(software, messages, launches, bytes); }};
}

TEST(MessageCosts, AreFoundFromThreeWaysToConsolidate) {
  const Software known{
      .mpi_copy = 7e9, .mpi_injection = 1e9, .mpi_latency = 200e-6, .mpi_overhead = 15e-6, .device_launch = 4e-6};
  const MessageCosts found = fit_message_costs(
      {.mpi_copy = 7e9},
      std::vector{trial(144, 288, known), trial(32, 64, known), trial(2, 64, known), trial(2, 64, known, 0, 500e3)});
  EXPECT_LT(found.largest_error, 1e-3);
  EXPECT_NEAR(found.software.mpi_overhead, known.mpi_overhead, 0.01 * known.mpi_overhead);
  EXPECT_NEAR(found.software.device_launch, known.device_launch, 0.01 * known.device_launch);
  EXPECT_NEAR(found.software.mpi_latency, known.mpi_latency, 0.01 * known.mpi_latency);
  EXPECT_NEAR(found.software.mpi_injection, known.mpi_injection, 0.01 * known.mpi_injection);
  EXPECT_TRUE(found.software.one_core);
  EXPECT_EQ(found.software.mpi_copy, 7e9) << "what is not fitted stays";
}

TEST(MessageCosts, AreNeverBelowZero) {
  // More messages take less time: no cost above 0 explains it.
  const Software known{.mpi_latency = 100e-6, .mpi_overhead = 10e-6, .device_launch = 1e-6};
  const MessageCosts found =
      fit_message_costs({}, std::vector{trial(100, 100, known, -0.9), trial(50, 100, known), trial(2, 100, known, 3)});
  for (const auto member : {&Software::mpi_overhead, &Software::device_launch, &Software::mpi_latency}) {
    EXPECT_GE(found.software.*member, 1e-9);
  }
  EXPECT_GT(found.largest_error, 0.2);
}

TEST(MessageCosts, NeedTimes) {
  EXPECT_THROW(static_cast<void>(fit_message_costs({}, {})), InvalidArgument);
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<MessageTrial> trials{{wrong, [](const Software&) { return 1.0; }}};
    EXPECT_THROW(static_cast<void>(fit_message_costs({}, trials)), InvalidArgument);
  }
}

}  // namespace
}  // namespace halocline::model
