// SPDX-License-Identifier: BSD-3-Clause
// The paths in what UCX prints about an endpoint.
#include "exchange/ucx_paths.hpp"

#include <gtest/gtest.h>

namespace halocline::exchange {
namespace {

std::string paths_in(const char* text) {
  return ucx_paths([text](std::FILE* file) { std::fputs(text, file); });
}

TEST(UcxPaths, AreThoseOfTheLanes) {
  EXPECT_EQ(paths_in("#\n#        lane[0]:  3:sysv/memory.0 md[2] -> addr[2]\n#        lane[1]:  1:tcp/eth0.1 md[1]\n"),
            "sysv/memory, tcp/eth0");
  EXPECT_EQ(paths_in("# UCP endpoint\n"), "");
}

TEST(UcxPaths, EndWithTheLine) { EXPECT_EQ(paths_in("lane[0]:  0:cma\nlane[1]:  1:self"), "cma, self"); }

}  // namespace
}  // namespace halocline::exchange
