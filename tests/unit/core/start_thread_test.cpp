// SPDX-License-Identifier: BSD-3-Clause
#include "core/start_thread.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

namespace halocline {
namespace {

TEST(StartThread, Runs) {
  int ran = 0;
  start_thread("a test", [&ran] { ran = 1; }).join();
  EXPECT_EQ(ran, 1);
}

/// Leaves no address space for another stack, and starts threads until one fails: the first ones may reuse cached
/// stacks.
[[noreturn]] void start_too_many() {
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  const rlimit none{4096, before.rlim_max};
  ::setrlimit(RLIMIT_AS, &none);
  try {
    for (int i = 0; i < 64; ++i) start_thread("the worker of a test", [] { ::sleep(60); }).detach();
  } catch (const ResourceError& error) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, error.what(), std::strlen(error.what()));
    ::setrlimit(RLIMIT_AS, &before);  // for what `make coverage` writes at the end
    ::_exit(3);
  }
  ::_exit(0);
}

TEST(StartThreadDeathTest, SaysWhatItIsForWhereItCannotBeStarted) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space than this leaves them";
#endif
  EXPECT_EXIT(start_too_many(), testing::ExitedWithCode(3),
              "cannot start a thread, the worker of a test: Resource temporarily unavailable; allowed is");
}

}  // namespace
}  // namespace halocline
