// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detail/watchdog.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "core/removed_file.hpp"
#include "halocline/error.hpp"
#include "support/forked.hpp"
#include "support/temporary_folder.hpp"

namespace halocline::comm {
namespace {

using std::chrono::milliseconds;

TEST(WatchdogDeathTest, EndsAProcessWhoseCallDoesNotReturn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Watchdog watchdog("MPI_Something", milliseconds(50));
        std::this_thread::sleep_for(std::chrono::seconds(60));
      },
      testing::ExitedWithCode(1), "error: MPI_Something has not returned after its timeout of 0.05 s");
}

TEST(WatchdogDeathTest, NamesTheProcesssEarlierError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Watchdog watchdog("MPI_Something", milliseconds(50),
                                std::make_exception_ptr(ResourceError("a file cannot be written: no space")));
        std::this_thread::sleep_for(std::chrono::seconds(60));
      },
      testing::ExitedWithCode(1), "give the call up. Its first error: a file cannot be written: no space");
}

TEST(Watchdog, RemovesTheTemporaryFilesOfAProcessThatItEnds) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "half").string();
  std::ofstream(path) << "half of it";
  const pid_t child = test::start([&] {
    const RemovedFile file(path);
    const Watchdog watchdog("MPI_Something", milliseconds(50));
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return 0;
  });
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), EXIT_FAILURE);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Watchdog, GivesEachProcessOfAJobATurnOfItsOwnToEnd) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t second = test::start([] {
    ::setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    const Watchdog watchdog("MPI_Something", milliseconds(0));
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return 0;
  });
  int status = 0;
  ASSERT_EQ(waitpid(second, &status, 0), second);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 2 * milliseconds(200));  // after the first process's turn
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), EXIT_FAILURE);
}

TEST(Watchdog, LetsACallReturn) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) const Watchdog watchdog("MPI_Something", std::chrono::seconds(60));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace halocline::comm
