// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>

namespace {

using namespace cli;

/// The output to a file, which is not a terminal.
std::string written(ProgressStyle style, const std::function<void(ProgressBar&)>& use) {
  std::FILE* file = std::tmpfile();
  {
    ProgressBar bar("work", 200, style, file);
    use(bar);
  }
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

TEST(Progress, PlainLinesWhereThereIsNoTerminal) {
  const auto text = written(ProgressStyle::automatic, [](ProgressBar& bar) {
    for (int i = 1; i <= 200; ++i) bar.update(i, i == 200 ? "residual 1e-4" : "");
  });
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_EQ(text.substr(0, text.find('\n')), "work: 20 of 200 (10 %)");
  EXPECT_NE(text.find("work: 200 of 200 (100 %), residual 1e-4\n"), std::string::npos);
}

TEST(Progress, ABarIsOneLineThatIsWrittenOver) {
  const auto text = written(ProgressStyle::bar, [](ProgressBar& bar) {
    for (int i = 1; i <= 200; ++i) bar.update(i);
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.front(), '\r');
  EXPECT_NE(text.find("[##############################] 100 %  200 / 200"), std::string::npos);
}

TEST(Progress, Off) {
  EXPECT_EQ(written(ProgressStyle::off, [](ProgressBar& bar) { bar.update(200); }), "");
}

TEST(Progress, BarText) {
  EXPECT_EQ(bar_text("work", 50, 100, "x"), "work  [###############---------------]  50 %  50 / 100  x");
}

}  // namespace
