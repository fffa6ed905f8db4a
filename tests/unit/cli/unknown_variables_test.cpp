// SPDX-License-Identifier: BSD-3-Clause
#include "unknown_variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/environment_variables.hpp"
#include "halocline/environment.hpp"

namespace {

using cli::unknown_variables;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(UnknownVariables, KnownAndForeignOnesAreQuiet) {
  std::vector<std::string> entries{"PATH=/bin", "HALOCLINE=1", "HALOCLINE_ROOT=/opt", "HALOCLINE_DIR=/opt", "=", ""};
  for (const auto& entry : halocline::environment_variables()) entries.push_back(entry.name + "=x");
  EXPECT_THAT(unknown_variables(entries), IsEmpty());
}

TEST(UnknownVariables, NameTheNearest) {
  EXPECT_THAT(unknown_variables({"HALOCLINE_TIMOUT=3", "HALOCLINE_TRANSPORT=self", "HALOCLINE_FROBNICATE=1"}),
              ElementsAre("HALOCLINE_TIMOUT is set, but nothing reads it; did you mean HALOCLINE_TIMEOUT?",
                          "HALOCLINE_TRANSPORT is set, but nothing reads it; did you mean HALOCLINE_TRANSPORTS?",
                          "HALOCLINE_FROBNICATE is set, but nothing reads it; see 'halocline --help-environment'"));
}

}  // namespace
