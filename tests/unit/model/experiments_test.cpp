// SPDX-License-Identifier: BSD-3-Clause
#include "model/experiments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace halocline::model {
namespace {

using machine::ExchangeRate;
using machine::HaloPath;
using machine::HaloRows;

constexpr std::int64_t mebi = std::int64_t{1} << 20;

Load load_of_subdomain(const Experiment& made, std::int64_t subdomain) {
  return load_of(made.geometry(), subdomain_id(subdomain), made.tuning);
}

TEST(Experiments, AreOfEveryKindThatTheDevicesAllow) {
  EXPECT_EQ(kinds_to_measure(1).size(), 4u);
  EXPECT_EQ(kinds_to_measure(2).size(), 22u);
  EXPECT_EQ(kinds_to_measure(8).size(), 22u);
  bool concurrent = false;
  for (const ExchangeRate& kind : kinds_to_measure(2)) {
    EXPECT_TRUE(kind.concurrent || !concurrent) << "those without come first";
    concurrent = kind.concurrent;
  }
}

/// Each experiment moves the requested number of cells of its kind on every device alike, and cells of other kinds only
/// where they cannot be avoided.
TEST(Experiments, MoveCellsOfTheirKind) {
  for (const int devices : {1, 2, 3, 8}) {
    for (const ExchangeRate& kind : kinds_to_measure(devices)) {
      for (const std::int64_t large : {mebi / 64, mebi, 16 * mebi}) {
        for (const std::int64_t bytes : {large < mebi ? large / 2 : smaller_than(large), large}) {
          const std::string what = kind_text(kind) + ", " + std::to_string(devices) + ", " + std::to_string(bytes);
          const Experiment made = experiment(kind, {bytes, large}, devices);
          const Load load = load_of_subdomain(made, 0);
          for (int d = 1; d < devices; ++d) EXPECT_EQ(load_of_subdomain(made, d).out, load.out) << what;
          const bool local = kind.path == HaloPath::local;
          const Load::Bytes& own = local ? load.local : load.out;
          const Load::Bytes& others = local ? load.out : load.local;
          EXPECT_EQ(load.in, load.out) << what;
          EXPECT_EQ(others.empty(), !kind.concurrent) << what;
          ASSERT_EQ(own.size(), 1u) << what;
          EXPECT_EQ(own.begin()->first, (std::pair{kind.rows, kind.word_bytes})) << what;
          const bool packets = kind.rows == HaloRows::packets;
          const double of_large = packets ? std::min(1.0, 5.0 / 8 * mebi / static_cast<double>(large)) : 1;
          const auto wanted =
              static_cast<double>(bytes) * of_large * (local && kind.rows == HaloRows::long_rows ? 4 : 1);
          const double cells =
              static_cast<double>(own.begin()->second) * (kind.rows == HaloRows::long_rows ? 1
                                                          : packets ? (kind.word_bytes == 16 ? 14.0 : 12.0) / 16
                                                                    : 12.0 / ExchangeRate::sector_bytes);
          EXPECT_GT(cells, 0.6 * wanted) << what;
          EXPECT_LT(cells, (large < mebi ? 4 : 1.8) * wanted) << what;  // least number of rows
        }
      }
    }
  }
}

TEST(Experiments, TheEmptyOneIsSmall) {
  for (const ExchangeRate& kind : kinds_to_measure(4)) {
    EXPECT_LT(experiment(kind, {0, 16 * mebi}, 4).extent.volume(), 4 * 512 * 512 * 4) << kind_text(kind);
  }
}

std::vector<ExchangeRate> some_rates() {
  std::vector<ExchangeRate> rates = kinds_to_measure(4);
  double bandwidth = 1e11;
  for (ExchangeRate& rate : rates) {
    rate.bandwidth = rate.path == HaloPath::local ? 100 * bandwidth : bandwidth;
    rate.latency = 4e-6;
    rate.least = 5e-6;
    bandwidth += 1e9;
  }
  return rates;
}

TEST(Fit, FindsTheRatesOfAMachineThatBehavesAsTheModelSays) {
  const std::vector<ExchangeRate> rates = some_rates();
  const std::int64_t large = 16 * mebi;
  std::vector<Trial> trials;
  for (const ExchangeRate& rate : rates) {
    const auto seconds = [&](std::int64_t bytes) {
      const Experiment made = experiment(rate, {bytes, large}, 4);
      const Load load = load_of_subdomain(made, 0);
      const auto& own = rate.path == HaloPath::local ? load.local : load.out;
      return rate.latency + static_cast<double>(own.begin()->second) / rate.bandwidth;
    };
    ExchangeRate kind = rate;
    kind.bandwidth = kind.latency = kind.least = 0;
    trials.push_back({kind, 5e-6, seconds(smaller_than(large)), seconds(large)});
  }
  const Fitted fitted = fit(trials, large, 4);
  for (const ExchangeRate& rate : fitted.rates) {
    const auto is_it = [&](const ExchangeRate& other) {
      return other.path == rate.path && other.rows == rate.rows && other.concurrent == rate.concurrent &&
             other.word_bytes == rate.word_bytes;
    };
    const auto wanted = std::find_if(rates.begin(), rates.end(), is_it);
    ASSERT_NE(wanted, rates.end());
    EXPECT_NEAR(rate.bandwidth, wanted->bandwidth, 1e-3 * wanted->bandwidth) << kind_text(rate);
    EXPECT_NEAR(rate.latency, wanted->latency, 1e-9) << kind_text(rate);
    EXPECT_DOUBLE_EQ(rate.least, 5e-6);
  }
  // Links are a hundred times slower than memory, and take most of the time of concurrent local copies.
  for (const auto& one : fitted.left_out) {
    EXPECT_TRUE(one.kind.concurrent);
    EXPECT_EQ(one.kind.path, HaloPath::local);
    EXPECT_THAT(one.reason, testing::HasSubstr("the other path"));
  }
  EXPECT_EQ(fitted.rates.size() + fitted.left_out.size(), 22u);
  EXPECT_GE(fitted.left_out.size(), 1u);
}

/// The rate of a kind whose smaller exchange takes this time, and the larger one a millisecond.
ExchangeRate fitted_to(const ExchangeRate& kind, double small) {
  const std::vector<Trial> trials{{kind, 1.2344e-6, small, 1e-3}};
  const Fitted fitted = fit(trials, mebi, 1);
  EXPECT_EQ(fitted.rates.size(), 1u);
  EXPECT_EQ(fitted.rates.at(0).least, 1.234e-6);
  return fitted.rates.at(0);
}

TEST(Fit, TakesTheLargerExchangeWhereThereIsNoLine) {
  const ExchangeRate kind = kinds_to_measure(1).front();
  const Load load = load_of_subdomain(experiment(kind, {mebi, mebi}, 1), 0);
  const auto bytes = static_cast<double>(load.local.begin()->second);
  // Time grows by more than the bytes do.
  const ExchangeRate steep = fitted_to(kind, 0.01e-3);
  EXPECT_NEAR(steep.bandwidth, bytes / 1e-3, 1e-3 * bytes / 1e-3);
  EXPECT_EQ(steep.latency, 0);
  // Time falls, is constant, or grows by less than the noise: nearly all of it is latency.
  for (const double small : {2e-3, 1e-3, 0.999e-3}) {
    const ExchangeRate flat = fitted_to(kind, small);
    EXPECT_NEAR(flat.bandwidth, 16 * bytes / 1e-3, 1e-3 * 16 * bytes / 1e-3) << small;
    EXPECT_NEAR(flat.latency, 15e-3 / 16, 1e-6) << small;
  }
}

}  // namespace
}  // namespace halocline::model
