// SPDX-License-Identifier: BSD-3-Clause
// Memory and flags between processes, and between backends of one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include "device/host.hpp"
#include "unit/device/process_support.hpp"

namespace halocline::device::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string child = HALOCLINE_DEVICE_CHILD;

std::size_t entries(const char* folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(HostProcess, PingPongBetweenTwoProcesses) {
  constexpr int rounds = 2000;
  const auto backend = make_host_backend({});
  const auto mine = backend->allocate_shareable(0, sizeof(SharedPage));
  auto& here = *reinterpret_cast<SharedPage*>(mine->data());
  const auto stream = backend->create_stream(0);
  stream->advance(&here.flags.one);
  wait_for(*stream, &here.flags.one, &here.flags.flags[0], 1, guard("child", std::chrono::seconds(20)));
  std::FILE* other =
      ::popen((child + " pong host " + to_hex(mine->handle()) + " " + std::to_string(rounds)).c_str(), "r");
  ASSERT_NE(other, nullptr);
  stream->synchronize();  // writes here.handle
  {
    const auto mapping = backend->map(0, here.handle);
    auto& there = *reinterpret_cast<SharedPage*>(mapping->data());
    const auto start = std::chrono::steady_clock::now();
    ping_pong(*stream, here, there, rounds, true);
    stream->synchronize();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    std::cout << "a signal to another process takes " << time.count() / (2 * rounds) << " us\n";
    EXPECT_EQ(here.data, 2u * rounds);
    signal_to(*stream, &here.flags.one, &there.flags.flags[2], 1);
    stream->synchronize();
  }
  EXPECT_EQ(::pclose(other), 0);
}

TEST(HostProcess, PingPongBetweenTwoBackendsOfAProcess) {
  constexpr int rounds = 500;  // so that one thread enqueues both sides, which hold it back at 4096 operations
  const auto one = make_host_backend({});
  const auto two = make_host_backend({});
  const auto a = one->allocate_shareable(0, sizeof(SharedPage));
  const auto b = two->allocate_shareable(0, sizeof(SharedPage));
  const auto a_there = two->map(0, a->handle());
  const auto b_here = one->map(0, b->handle());
  const auto left = one->create_stream(0);
  const auto right = two->create_stream(0);
  auto& page_a = *reinterpret_cast<SharedPage*>(a->data());
  auto& page_b = *reinterpret_cast<SharedPage*>(b->data());
  ping_pong(*right, page_b, *reinterpret_cast<SharedPage*>(a_there->data()), rounds, false);
  const auto start = std::chrono::steady_clock::now();
  ping_pong(*left, page_a, *reinterpret_cast<SharedPage*>(b_here->data()), rounds, true);
  left->synchronize();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  right->synchronize();
  std::cout << "a signal to another backend takes " << time.count() / (2 * rounds) << " us\n";
  EXPECT_EQ(page_a.data, 2u * rounds);
}

// The timer finds a lost ring, but only milliseconds later; rings must not get lost.
TEST(HostProcess, ASignalWakesASleepingBackend) {
  const auto one = make_host_backend({});
  const auto two = make_host_backend({});
  const auto memory = one->allocate_shareable(0, sizeof(FlagPage));
  const auto mapping = two->map(0, memory->handle());
  const auto waiting = one->create_stream(0);
  const auto signalling = two->create_stream(0);
  std::uint64_t epoch = 0;
  std::atomic<int> passed{0};
  double total = 0;
  constexpr int rounds = 50;
  for (int i = 0; i < rounds; ++i) {
    signalling->advance(&epoch);
    signalling->synchronize();
    wait_for(*waiting, &epoch, &page(*memory).flags[0], 1, guard("sleeper"));
    waiting->host_function([&] { ++passed; });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // backoff sleeps have reached their maximum
    const auto start = std::chrono::steady_clock::now();
    signal_to(*signalling, &epoch, &page(*mapping).flags[0], 1);
    while (passed == i) std::this_thread::sleep_for(std::chrono::microseconds(50));
    total += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  std::cout << "a sleeping backend answers after " << 1000 * total / rounds << " us\n";
  EXPECT_LT(total / rounds, 2.0);  // with the timer alone it would be 4 ms
}

TEST(HostProcess, MappingInTheSameProcessIsTheSameAddressUnlessAskedOtherwise) {
  const auto exporter = make_host_backend({});
  const auto memory = exporter->allocate_shareable(0, 4096);
  const auto same = make_host_backend({})->map(0, memory->handle());
  EXPECT_EQ(same->data(), memory->data());
  HostOptions options;
  options.always_remap = true;
  const auto remapped = make_host_backend(options)->map(0, memory->handle());
  EXPECT_NE(remapped->data(), memory->data());
  memory->data()[100] = std::byte{42};
  EXPECT_EQ(remapped->data()[100], std::byte{42});
}

TEST(HostProcess, AMappingThatIsNotAllowedSaysWhy) {
  const auto exporter = make_host_backend({});
  const auto memory = exporter->allocate_shareable(0, 64);
  const std::string theirs = exporter->info(0).uuid;
  HostOptions options;
  options.devices = 2;
  options.mapping = [&](int device, const std::string& uuid) { return device == 1 || uuid != theirs; };
  const auto backend = make_host_backend(options);
  EXPECT_EQ(thrown([&] { (void)backend->map(0, memory->handle()); }),
            "capability: host device " + backend->info(0).uuid + " may not map memory of " + theirs +
                ": the mapping option says no");
  EXPECT_EQ(backend->map(1, memory->handle())->data(), memory->data());
  EXPECT_EQ(thrown([&] { (void)backend->map(0, MemoryHandle{}); }),
            "capability: cannot map the memory: its handle is not from a host backend of this version");
  options.peer_access = [](int from, int to) { return from < to; };
  const auto uneven = make_host_backend(options);
  EXPECT_TRUE(uneven->peer_access(0, 1).yes);
  EXPECT_TRUE(uneven->peer_access(1, 1).yes);
  EXPECT_FALSE(uneven->peer_access(1, 0).yes);
  EXPECT_EQ(uneven->peer_access(1, 0).why_not, "the peer-access option says no from host device 1 to 0");
}

TEST(HostProcess, AKilledProcessLeavesNothingBehind) {
  const std::size_t before = entries("/dev/shm");
  std::FILE* other = ::popen(("exec " + child + " export").c_str(), "r");
  ASSERT_NE(other, nullptr);
  std::array<char, 2 * sizeof(MemoryHandle) + 32> line{};
  ASSERT_NE(std::fgets(line.data(), static_cast<int>(line.size()), other), nullptr);
  std::istringstream words(line.data());
  int pid = 0;
  std::string text;
  words >> pid >> text;
  ASSERT_GT(pid, 1);
  const MemoryHandle handle = from_hex(text);
  const auto backend = make_host_backend({});
  const auto mapping = backend->map(0, handle);
  EXPECT_EQ(entries("/dev/shm"), before);
  ::kill(pid, SIGKILL);
  ::pclose(other);
  EXPECT_EQ(entries("/dev/shm"), before);
  EXPECT_EQ(mapping->data()[12345], std::byte{0});  // the mapping remains valid
  EXPECT_THAT(
      thrown([&] { (void)backend->map(0, handle); }),
      AllOf(StartsWith("capability: cannot open /proc/" + std::to_string(pid) + "/fd/"), HasSubstr("No such file")));
}

TEST(HostProcess, AForkedProcessIsAnotherProcess) { EXPECT_EQ(std::system((child + " fork").c_str()), 0); }

}  // namespace
}  // namespace halocline::device::test
