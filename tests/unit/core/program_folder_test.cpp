// SPDX-License-Identifier: BSD-3-Clause
#include "core/program_folder.hpp"

#include <gtest/gtest.h>

namespace halocline {
namespace {

TEST(ProgramFolder, IsThatOfTheProgram) {
  EXPECT_TRUE(std::filesystem::exists(program_folder() / "unit_core")) << program_folder();
}

TEST(ProgramFolder, IsFoundWithoutProc) {
  std::error_code absent;
  EXPECT_TRUE(std::filesystem::equivalent(program_folder("/nowhere"), program_folder(), absent))
      << program_folder("/nowhere") << " instead of " << program_folder();
}

}  // namespace
}  // namespace halocline
