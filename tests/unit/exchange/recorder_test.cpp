// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/recorder.hpp"

#include <gtest/gtest.h>

namespace halocline::exchange {
namespace {

TEST(Recorder, CountsTheEventsThatItsRingNoLongerHolds) {
  Recorder recorder(0, 1);
  for (std::uint64_t i = 0; i < 3; ++i) recorder.note(EventKind::started, 0, i);
  const Recording few = recorder.recording(RecordingCause::request);
  EXPECT_EQ(few.events.size(), 3U);
  EXPECT_EQ(few.events_before, 0U);
  for (std::uint64_t i = 3; i < 4096 + 5; ++i) recorder.note(EventKind::started, 0, i);
  const Recording many = recorder.recording(RecordingCause::request);
  EXPECT_EQ(many.events.size(), 4096U);
  EXPECT_EQ(many.events_before, 5U);
  EXPECT_EQ(many.events.front().number, 5U);
}

}  // namespace
}  // namespace halocline::exchange
