// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "support/manual_clock.hpp"

namespace {

using namespace cli;
using namespace std::chrono_literals;

/// The output to a file, which is not a terminal.
std::string written(ProgressStyle style, const std::function<void(ProgressBar&, halocline::test::ManualClock&)>& use) {
  std::FILE* file = std::tmpfile();
  halocline::test::ManualClock clock;
  {
    ProgressBar bar("work", 200, style, file, clock);
    use(bar, clock);
  }
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

TEST(Progress, PlainLinesWhereThereIsNoTerminal) {
  const auto text = written(ProgressStyle::automatic, [](ProgressBar& bar, auto& /*clock*/) {
    for (int i = 1; i <= 200; ++i) bar.update(i, i == 200 ? "residual 1e-4" : "");
  });
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_EQ(text.substr(0, text.find('\n')), "work: 20 of 200 (10 %)");
  EXPECT_NE(text.find("work: 200 of 200 (100 %), residual 1e-4\n"), std::string::npos);
}

TEST(Progress, ABarIsOneLineThatIsWrittenOver) {
  const auto text = written(ProgressStyle::bar, [](ProgressBar& bar, auto& /*clock*/) {
    for (int i = 1; i <= 200; ++i) bar.update(i);
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.front(), '\r');
  EXPECT_NE(text.find("[##############################] 100 %  200 / 200"), std::string::npos);
}

TEST(Progress, Off) {
  EXPECT_EQ(written(ProgressStyle::off, [](ProgressBar& bar, auto& /*clock*/) { bar.update(200); }), "");
}

TEST(Progress, BarText) {
  EXPECT_EQ(bar_text("work", 50, 100, 0, "x"), "work  [###############---------------]  50 %  50 / 100  x");
}

TEST(Progress, RateAndTimeLeft) {
  EXPECT_EQ(rate_text(50, 100, 2), "25 a second, 2.0 s left");
  EXPECT_EQ(rate_text(100, 100, 2), "50 a second, 2.0 s in all");
  EXPECT_EQ(rate_text(12345, 1'000'000, 1), "12345 a second, 1 min 20 s left");
  EXPECT_EQ(rate_text(1, 100, 80), "0.0125 a second, 2 h 12 min left");
  EXPECT_EQ(rate_text(0, 100, 2), "");
  EXPECT_EQ(rate_text(50, 100, 0), "");
}

TEST(Progress, Durations) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(9.94), "9.9 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
  EXPECT_EQ(duration_text(1e12), "years");
}

TEST(Progress, LinesHaveTheRateByTheClock) {
  const auto text = written(ProgressStyle::lines, [](ProgressBar& bar, auto& clock) {
    clock.advance(4s);
    bar.update(20, "residual 1e-4");
  });
  EXPECT_EQ(text, "work: 20 of 200 (10 %), 5 a second, 36 s left, residual 1e-4\n");
}

TEST(Progress, ABarIsDrawnTenTimesASecondAndNoWiderThanATerminal) {
  const auto text = written(ProgressStyle::bar, [](ProgressBar& bar, auto& clock) {
    bar.update(1);
    clock.advance(99ms);
    bar.update(2);
    clock.advance(1ms);
    bar.update(3, std::string(200, 'x'));
  });
  EXPECT_NE(text.find("  1 / 200"), std::string::npos);
  EXPECT_EQ(text.find("  2 / 200"), std::string::npos);
  EXPECT_NE(text.find("  3 / 200  30 a second, 6.6 s left  xxx"), std::string::npos);
  EXPECT_EQ(text.size() - text.rfind('\r') - 2, 99U);
}

}  // namespace
