// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "halocline/error.hpp"
#include "pictures/study_picture.hpp"
#include "pictures/trace_picture.hpp"
#include "support/error_of.hpp"

namespace cli {
namespace {

using halocline::InvalidArgument;
using testing::HasSubstr;

const std::string slice =
    R"({"ph": "X", "name": "pack", "cat": "pack", "pid": 0, "tid": 0, "ts": 11, "dur": 5, "args": {"step": 1}})";

std::string drawn(const std::string& events) {
  return timeline_svg(halocline::io::parse_document("{\"traceEvents\": [" + events + "]}"), std::nullopt, "FILE");
}

std::string trace_refusal(const std::string& events) {
  return halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(drawn(events)); });
}

/// The slice with one piece replaced.
std::string slice_with(const std::string& piece, const std::string& other) {
  return std::string(slice).replace(slice.find(piece), piece.size(), other);
}

TEST(PlottedTrace, EventsThatLackAPartAreRefused) {
  EXPECT_THAT(trace_refusal(slice + R"(,{"ph": "M", "name": "thread_name", "pid": 0, "tid": 0})"),
              HasSubstr("traceEvents[1].args is missing"));
  EXPECT_THAT(trace_refusal(slice_with(R"("step": 1)", R"("step": 1, "from": 0, "to": 1)")),
              HasSubstr("traceEvents[0].args.part is missing"));
  EXPECT_THAT(trace_refusal(slice_with(R"("pid": 0)", R"("pid": 1e300)")), HasSubstr("traceEvents[0].pid is 1e+300"));
  EXPECT_THAT(trace_refusal(slice_with(R"("ts": 11)", R"("ts": 1e308)")), HasSubstr("traceEvents[0].ts is 1e+308"));
  EXPECT_THAT(trace_refusal(slice_with(R"("dur": 5)", R"("dur": -5)")), HasSubstr("traceEvents[0].dur is -5"));
}

TEST(PlottedTrace, ThreadsWithoutNamesAndEmptySlicesAreDrawn) {
  EXPECT_THAT(drawn(slice), HasSubstr("thread 0"));
  EXPECT_THAT(drawn(slice_with(R"("dur": 5)", R"("dur": 0)")), testing::Not(HasSubstr("nan")));
}

TEST(PlottedStudy, NumbersThatCannotBeDrawnAreRefused) {
  for (const char* number : {"nan", "inf", "1e300", "1e-300", "0x", ""}) {
    const std::string text = std::string("method,block,element,radius,direction,gb_per_s\na,64,f32,1,all,") + number;
    EXPECT_THAT(
        halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(charts_of(read_csv(text, "FILE"))); }),
        HasSubstr("column 'gb_per_s' has the value '"))
        << number;
  }
}

}  // namespace
}  // namespace cli
