// SPDX-License-Identifier: BSD-3-Clause
#include "core/posix_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "core/folder.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

std::errc error_of_reading(const std::string& path, std::size_t most = std::string::npos) {
  try {
    static_cast<void>(read_file(path, most));
  } catch (const std::system_error& error) {
    return static_cast<std::errc>(error.code().value());
  }
  return {};
}

class PosixFile : public testing::Test {
 protected:
  PosixFile() { fs::create_directories(folder / "inner"); }
  ~PosixFile() override { fs::remove_all(folder); }
  fs::path folder = fs::path(testing::TempDir()) / "halocline_posix_file";
};

TEST_F(PosixFile, is_read_whole_or_fails_with_the_reason) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{200000}}) {
    const std::string text(size, 'x');
    std::ofstream(folder / "file", std::ios::binary) << text;
    EXPECT_EQ(read_file(folder / "file"), text);
    EXPECT_EQ(read_file(folder / "file", size), text);
    if (size == 0) continue;
    EXPECT_EQ(error_of_reading(folder / "file", size - 1), std::errc::file_too_large);
  }
  EXPECT_EQ(error_of_reading(folder / "none"), std::errc::no_such_file_or_directory);
  EXPECT_EQ(error_of_reading(folder), std::errc::is_a_directory);
}

TEST_F(PosixFile, names_in_a_folder_are_files_and_folders) {
  std::ofstream(folder / ".hidden") << "x";
  EXPECT_THAT(names_in(folder), testing::UnorderedElementsAre("inner", ".hidden"));
  EXPECT_THAT(names_in(folder / "inner"), testing::IsEmpty());
  EXPECT_THROW(static_cast<void>(names_in(folder / "none")), std::system_error);
}

}  // namespace
}  // namespace halocline
