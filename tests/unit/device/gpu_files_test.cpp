// SPDX-License-Identifier: BSD-3-Clause
#include "device/detail/gpu_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace halocline::device::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class GpuFiles : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void make(const std::string& name) const { std::ofstream(folder_ / name); }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("gpu_files_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(GpuFiles, OfOneGpuGiveTheOption) {
  make("nvidia0");
  make("nvidiactl");
  EXPECT_THAT(gpus_without_backend(folder_), StartsWith("this machine has 1 NVIDIA GPU, and this build"));
  EXPECT_THAT(gpus_without_backend(folder_), HasSubstr("-DHALOCLINE_CUDA=ON"));
}

TEST_F(GpuFiles, AreCounted) {
  for (const auto* name : {"nvidia0", "nvidia1", "nvidia12"}) make(name);
  EXPECT_THAT(gpus_without_backend(folder_), StartsWith("this machine has 3 NVIDIA GPUs, and"));
}

TEST_F(GpuFiles, OfADriverAloneAreNoGpus) {
  for (const auto* name : {"nvidiactl", "nvidia-uvm", "nvidia", "null"}) make(name);
  EXPECT_EQ(gpus_without_backend(folder_), "");
}

TEST_F(GpuFiles, InAFolderThatIsNotThereAreNone) { EXPECT_EQ(gpus_without_backend(folder_ / "absent"), ""); }

}  // namespace
}  // namespace halocline::device::test
