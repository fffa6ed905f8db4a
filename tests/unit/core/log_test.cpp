// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace halocline {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Restores standard error as the sink.
class Log : public testing::Test {
 protected:
  ~Log() override { set_log_sink({}); }
  std::vector<std::pair<LogLevel, std::string>> taken;
};

TEST_F(Log, GoesToTheUsersSinkInPlaceOfStandardError) {
  set_log_sink([this](LogLevel level, std::string_view message) { taken.emplace_back(level, message); });
  testing::internal::CaptureStderr();
  log(LogLevel::warning, "one");
  log(LogLevel::error, "two\nlines");
  log(LogLevel::debug, "beyond HALOCLINE_LOG, a warning by default");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(taken, ElementsAre(Pair(LogLevel::warning, "one"), Pair(LogLevel::error, "two\nlines")));
}

TEST_F(Log, GoesToStandardErrorWithoutASink) {
  set_log_sink([this](LogLevel level, std::string_view message) { taken.emplace_back(level, message); });
  set_log_sink({});
  testing::internal::CaptureStderr();
  log(LogLevel::warning, "one");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "halocline: warning: one\n");
  EXPECT_TRUE(taken.empty());
}

TEST_F(Log, DropsWhatASinkThrows) {
  set_log_sink([](LogLevel, std::string_view) { throw std::runtime_error("planted"); });
  testing::internal::CaptureStderr();
  log(LogLevel::error, "one");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Log, NamesItsLevels) {
  EXPECT_EQ(to_string(LogLevel::error), "error");
  EXPECT_EQ(to_string(LogLevel::debug), "debug");
}

}  // namespace
}  // namespace halocline
