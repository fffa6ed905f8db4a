// SPDX-License-Identifier: BSD-3-Clause
// What must not end the process when memory runs out: errors in workers, and log messages of destructors.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "core/anonymous_file.hpp"
#include "core/leak.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "halocline/error.hpp"
#include "support/without_memory.hpp"

namespace halocline::device {
namespace {

using halocline::test::out_of_memory;
using halocline::test::WithoutMemory;

TEST(OutOfMemory, OnAWorkerFailsTheStreamAndNotTheProcess) {
  HostOptions options;
  options.workers = 1;
  const auto backend = make_host_backend(options);
  const auto failing = backend->create_stream(0);
  const auto waiting = backend->create_stream(0);
  const auto event = backend->create_event(0);
  const auto here = std::this_thread::get_id();
  std::atomic<bool> may_run{false};
  std::atomic<bool> on_worker{false};
  // From here on, allocations on the worker fail.
  failing->launch(Box{{0, 0, 0}, {1, 1, 1}}, [&](const Box&) {
    while (!may_run) std::this_thread::yield();
    on_worker = std::this_thread::get_id() != here;
    out_of_memory = on_worker;
    throw 1;
  });
  failing->record(*event);
  waiting->wait(*event);
  may_run = true;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!on_worker && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  ASSERT_TRUE(on_worker);
  for (Stream* stream : {failing.get(), waiting.get()}) {
    try {
      stream->synchronize();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::resource);
      EXPECT_STREQ(error.what(), "out of memory while an operation on a host device failed");
    }
  }
}

TEST(OutOfMemory, IsNoReasonToEndWhereADestructorLogs) {
  std::optional<AnonymousFile> file(std::in_place, 4096);
  testing::internal::CaptureStderr();
  ASSERT_EQ(::close(file->handle().fd), 0);  // so that the destructor's own close() fails
  {
    const WithoutMemory here;
    file.reset();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "halocline: error: (no memory for the message)\n");
}

/// What destructors leak on purpose after a failure is leaked without allocating, and the process continues.
TEST(OutOfMemory, LeaksNeedNone) {
  auto unique = std::make_unique<int>(1);
  const int* const kept = unique.get();
  std::shared_ptr<int> shared = std::make_shared<int>(2);
  const std::weak_ptr<int> still = shared;
  {
    const WithoutMemory here;
    leak(std::move(unique));
    leak(std::shared_ptr<void>(std::move(shared)));
  }
  EXPECT_EQ(*kept, 1);
  EXPECT_FALSE(still.expired());
}

}  // namespace
}  // namespace halocline::device
