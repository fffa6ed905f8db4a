// SPDX-License-Identifier: BSD-3-Clause
// Which compiled kernels may start before the previous kernel in the stream has ended.
#include "device/cuda/early_start.hpp"

#include <gtest/gtest.h>

namespace halocline::device::cuda {
namespace {

/// A build for 8.0 only runs on a Hopper GPU from PTX of version 80, in which the wait is compiled out.
TEST(EarlyStart, IsForKernelsThatWaitThemselves) {
  for (const int version : {70, 75, 80, 86, 89}) EXPECT_FALSE(waits_for_previous_kernel(version)) << version;
  for (const int version : {90, 100, 103, 120}) EXPECT_TRUE(waits_for_previous_kernel(version)) << version;
}

}  // namespace
}  // namespace halocline::device::cuda
