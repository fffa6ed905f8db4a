// SPDX-License-Identifier: BSD-3-Clause
// GPU memory and flags between processes.
#include <gmock/gmock.h>

#include <iostream>

#include "device/cuda_backend.hpp"
#include "device/host.hpp"
#include "gpu/device/gpus.hpp"
#include "unit/device/process_support.hpp"

namespace halocline::device::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string child = HALOCLINE_DEVICE_CHILD;

/// The complete output of a command.
std::string output_of(const std::string& command, int& status) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  std::string text;
  std::array<char, 512> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) text += part.data();
  status = ::pclose(pipe);
  return text;
}

class GpuProcesses : public OneGpu {
 protected:
  void ping_pong_with(int gpu) {
    constexpr int rounds = 500;
    const auto mine = backend->allocate_shareable(0, sizeof(SharedPage));
    auto& here = *reinterpret_cast<SharedPage*>(mine->data());
    const auto stream = backend->create_stream(0);
    stream->advance(&here.flags.one);
    wait_for(*stream, &here.flags.one, &here.flags.flags[0], 1, guard("child", std::chrono::seconds(60)));
    const std::string command =
        child + " pong cuda:" + std::to_string(gpu) + " " + to_hex(mine->handle()) + " " + std::to_string(rounds);
    std::FILE* other = ::popen(command.c_str(), "r");
    ASSERT_NE(other, nullptr);
    const auto pinned = backend->allocate_pinned(sizeof(MemoryHandle));
    stream->copy(pinned->data(), reinterpret_cast<const std::byte*>(&here.handle), sizeof(MemoryHandle));
    stream->synchronize();
    MemoryHandle handle;
    std::memcpy(handle.blob.data(), pinned->data(), sizeof handle);
    {
      const auto mapping = backend->map(0, handle);
      auto& there = *reinterpret_cast<SharedPage*>(mapping->data());
      const auto start = std::chrono::steady_clock::now();
      ping_pong(*stream, here, there, rounds, true);
      stream->synchronize();
      const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
      std::cout << "a word and a signal to GPU " << gpu << " of another process take " << time.count() / (2 * rounds)
                << " us\n";
      EXPECT_EQ(read(&here.data), 2u * rounds);
      signal_to(*stream, &here.flags.one, &there.flags.flags[2], 1);
      stream->synchronize();
    }
    EXPECT_EQ(::pclose(other), 0);
  }
};

class GpuPairsOfProcesses : public GpuProcesses {
 protected:
  void SetUp() override {
    if (const std::string why = missing_gpus(2); !why.empty()) GTEST_SKIP() << why;
    GpuProcesses::SetUp();
  }
};

TEST_F(GpuProcesses, PingPongOnOneGpu) { ping_pong_with(0); }
TEST_F(GpuPairsOfProcesses, PingPongBetweenTwoGpus) { ping_pong_with(1); }

/// One GPU a process, by CUDA_VISIBLE_DEVICES: a GPU has the same uuid in all processes, and the memory of a hidden GPU
/// either can be mapped, or is refused with both names.
TEST_F(GpuPairsOfProcesses, GpusThatAreMaskedHaveTheirNames) {
  const auto mine = backend->allocate_shareable(0, 4096);
  const auto stream = backend->create_stream(0);
  for (int i = 0; i < 7; ++i) stream->advance(reinterpret_cast<std::uint64_t*>(mine->data()));
  stream->synchronize();
  const std::string theirs = cuda_devices()[1].uuid;
  int status = -1;
  const std::string said =
      output_of("CUDA_VISIBLE_DEVICES=" + theirs + " " + child + " look cuda:0 " + to_hex(mine->handle()), status);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(said, StartsWith(theirs + "\n"));
  std::cout << said;
  if (said != theirs + "\nfound 7\n") {
    EXPECT_THAT(said, AllOf(HasSubstr("\ncapability: " + theirs), HasSubstr(backend->info(0).uuid)));
  }
}

TEST_F(GpuProcesses, AHandleOfAnotherBackendIsRefused) {
  const auto host = make_host_backend({});
  const auto memory = host->allocate_shareable(0, 64);
  EXPECT_EQ(thrown([&] { (void)backend->map(0, memory->handle()); }),
            "capability: cannot map the memory: its handle is not from a CUDA backend of this version");
  EXPECT_EQ(thrown([&] { (void)host->map(0, backend->allocate_shareable(0, 64)->handle()); }),
            "capability: cannot map the memory: its handle is not from a host backend of this version");
}

TEST_F(GpuProcesses, WithoutAGpuThereIsNoBackend) {
  int status = -1;
  (void)output_of("CUDA_VISIBLE_DEVICES= " + child + " look cuda:0 00 2>&1", status);
  EXPECT_NE(status, 0);
}

}  // namespace
}  // namespace halocline::device::test
