// SPDX-License-Identifier: BSD-3-Clause
#include "core/posix_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <vector>

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

/// The errno that a call throws; 0 without an error.
template <typename Call>
int errno_of(Call&& call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error.code().value();
  }
  return 0;
}

TEST_F(PosixFile, reports_what_a_device_or_a_closed_file_refuses) {
  const std::string text(100'000, 'x');
  const auto bytes = std::as_bytes(std::span(text));
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(errno_of([&] { write_all(full.get(), bytes); }), ENOSPC);
  Descriptor file(::open((folder / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  write_all_at(file.get(), bytes, 10);
  std::vector<std::byte> read(200'000);
  EXPECT_EQ(read_at(file.get(), read, 10), bytes.size()) << "up to the end";
  EXPECT_EQ(read_at(file.get(), read, 1'000'000), 0u) << "behind the end";
  EXPECT_EQ(errno_of([&] { file.sync(); }), 0);
  const int number = file.get();
  ::close(number);
  EXPECT_EQ(errno_of([&] { file.sync(); }), EBADF);
  EXPECT_EQ(errno_of([&] { static_cast<void>(read_at(number, read, 0)); }), EBADF);
  EXPECT_EQ(errno_of([&] { write_all_at(number, bytes, 0); }), EBADF);
  EXPECT_EQ(errno_of([&] { reserve_space(number, 10); }), EBADF);
  EXPECT_EQ(errno_of([&] { file.close(); }), EBADF);
  EXPECT_EQ(errno_of([] { const Descriptor none(::open("/no/such/file", O_RDONLY | O_CLOEXEC)); }), ENOENT);
}

TEST_F(PosixFile, needs_no_space_and_no_synchronisation_where_there_is_none) {
  const Descriptor device(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(errno_of([&] { device.sync(); }), 0) << "EINVAL, as there is nothing to synchronise";
}

TEST_F(PosixFile, may_not_be_larger_than_the_limit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit less{8192, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
  const int fits = errno_of([] { check_file_size(8192); });
  const int too_large = errno_of([] { check_file_size(8193); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(fits, 0);
  EXPECT_EQ(too_large, EFBIG);
}

TEST_F(PosixFile, names_in_a_folder_are_files_and_folders) {
  std::ofstream(folder / ".hidden") << "x";
  EXPECT_THAT(names_in(folder), testing::UnorderedElementsAre("inner", ".hidden"));
  EXPECT_THAT(names_in(folder / "inner"), testing::IsEmpty());
  EXPECT_THROW(static_cast<void>(names_in(folder / "none")), std::system_error);
}

}  // namespace
}  // namespace halocline
