// SPDX-License-Identifier: BSD-3-Clause
// HALOCLINE_CHECK_BOUNDS in kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gpu/device/gpus.hpp"
#include "step.hpp"

namespace halocline {
namespace {

/// The output and exit status of a process that reads at an offset on a GPU.
int run(const Vec3& offset) {
  ::dup2(STDERR_FILENO, STDOUT_FILENO);  // kernels print to standard output
  Domain domain({32, 8, 8}, Stencil::star(1), {.devices = {.kind = DeviceKind::cuda, .per_rank = 1}});
  const auto u = domain.add_field<float>("u", {.buffers = 2});
  domain.realize();
  domain.exchange();
  test::launch_shift(domain.subdomains().front(), u, offset);
  try {
    domain.synchronize();
  } catch (const Error&) {
    return 3;
  }
  domain.close();
  return 0;
}

/// Each in a separate process, because a trap ends a CUDA context.
class GpuBoundsDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (const std::string why = device::test::missing_gpus(1); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(GpuBoundsDeathTest, LetCorrectKernelsPass) {
  EXPECT_EXIT(std::_Exit(run({-1, 0, 0})), testing::ExitedWithCode(0), "");
}

TEST_F(GpuBoundsDeathTest, TrapKernelsThatReadBeyondTheHaloOrWhatTheStencilLeavesOut) {
  EXPECT_EXIT(std::_Exit(run({-2, 0, 0})), testing::ExitedWithCode(3), "halocline: cell .-2, 0, 0., component 0");
  EXPECT_EXIT(std::_Exit(run({1, 1, 0})), testing::ExitedWithCode(3), "halocline: cell .32, 8, [0-7]., component 0");
}

}  // namespace
}  // namespace halocline
