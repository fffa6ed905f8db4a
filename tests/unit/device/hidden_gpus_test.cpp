// SPDX-License-Identifier: BSD-3-Clause
#include "device/detail/hidden_gpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace halocline::device {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(HiddenGpus, AGpuThatIsSeenNeedsNoHint) {
  EXPECT_THAT(hint_of_hidden_gpu(true, "0,1"), IsEmpty());
  EXPECT_THAT(hint_of_hidden_gpu(true, std::nullopt), IsEmpty());
}

TEST(HiddenGpus, WhatHidesItIsNamedWithWhatToDo) {
  const auto masked = hint_of_hidden_gpu(false, "0");
  EXPECT_THAT(masked, HasSubstr("(CUDA_VISIBLE_DEVICES=0): start ranks that see all GPUs of their node"));
  EXPECT_THAT(masked, HasSubstr("--gpus-per-node instead of --gpus-per-task"));
  EXPECT_THAT(hint_of_hidden_gpu(false, std::nullopt), HasSubstr("(its control group)"));
}

}  // namespace
}  // namespace halocline::device
