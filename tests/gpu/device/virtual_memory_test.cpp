// SPDX-License-Identifier: BSD-3-Clause
// Memory that is exported by file descriptors and by fabric handles.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda_backend.hpp"
#include "gpu/device/gpus.hpp"
#include "unit/device/process_support.hpp"

namespace halocline::device::test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::shared_ptr<Backend> exporting(MemoryExport by, std::vector<int> devices = {0}) {
  CudaOptions options;
  options.devices = std::move(devices);
  options.memory_export = by;
  return make_cuda_backend(options);
}

class GpuVirtualMemory : public OneGpu {
 protected:
  /// What another process prints that maps the memory: its device, and the first word or why it cannot.
  static std::string seen_by_another(const ShareableBuffer& memory, const char* setting, int gpu) {
    const std::string command = std::string("HALOCLINE_DEVICE_MEMORY=") + setting + " " + HALOCLINE_DEVICE_CHILD +
                                " look cuda:" + std::to_string(gpu) + " " + to_hex(memory.handle());
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
    std::string text;
    std::array<char, 512> part{};
    while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) text += part.data();
    EXPECT_EQ(::pclose(pipe), 0);
    return text;
  }

  static void count_to(Backend& backend, const ShareableBuffer& memory, int number) {
    const auto stream = backend.create_stream(0);
    for (int i = 0; i < number; ++i) stream->advance(reinterpret_cast<std::uint64_t*>(memory.data()));
    stream->synchronize();
  }
};

class GpuVirtualMemoryOfPairs : public GpuVirtualMemory {
 protected:
  void SetUp() override {
    if (const std::string why = missing_gpus(2); !why.empty()) GTEST_SKIP() << why;
    GpuVirtualMemory::SetUp();
  }
};

TEST_F(GpuVirtualMemory, ByDescriptorsIsOneAllocationOfItsDeviceAndZeroFilled) {
  const auto owner = exporting(MemoryExport::fd);
  EXPECT_EQ(owner->memory_export(0), "file descriptors");
  const auto memory = owner->allocate_shareable(0, 5000);
  EXPECT_EQ(memory->bytes(), 5000u);
  const MemoryInfo info = owner->memory_at(memory->data());
  EXPECT_EQ(info.kind, MemoryKind::mapped);
  EXPECT_EQ(info.device, 0);
  EXPECT_FALSE(info.exportable);
  for (const std::byte b : read(memory->data(), 5000)) ASSERT_EQ(b, std::byte{0});
}

TEST_F(GpuVirtualMemory, OfThisProcessIsTheExportersAddress) {
  const auto owner = exporting(MemoryExport::fd);
  const auto memory = owner->allocate_shareable(0, 64);
  EXPECT_EQ(exporting(MemoryExport::ipc)->map(0, memory->handle())->data(), memory->data());
}

TEST_F(GpuVirtualMemory, ByDescriptorsIsReadByAnotherProcess) {
  const auto owner = exporting(MemoryExport::fd);
  const auto memory = owner->allocate_shareable(0, 4096);
  count_to(*owner, *memory, 7);
  const std::string text = seen_by_another(*memory, "ipc", 0);
  // A process may not be traced by its child where kernel.yama.ptrace_scope is 1.
  EXPECT_THAT(text, AnyOf(HasSubstr("\nfound 7\n"), HasSubstr("pidfd_getfd: Operation not permitted")));
}

TEST_F(GpuVirtualMemoryOfPairs, ByDescriptorsIsReadByAnotherProcessOnAnotherGpu) {
  const auto owner = exporting(MemoryExport::fd);
  const auto memory = owner->allocate_shareable(0, 4096);
  count_to(*owner, *memory, 9);
  const std::string text = seen_by_another(*memory, "fd", 1);
  EXPECT_THAT(text, AnyOf(HasSubstr("\nfound 9\n"), HasSubstr("pidfd_getfd: Operation not permitted"),
                          HasSubstr("no peer access")));
}

/// Another backend of this process: its devices get access when they map.
TEST_F(GpuVirtualMemoryOfPairs, IsAccessedByADeviceOfAnotherBackend) {
  const auto owner = exporting(MemoryExport::fd);
  const auto other = exporting(MemoryExport::fd, {1});
  const auto memory = owner->allocate_shareable(0, 64);
  std::unique_ptr<Mapping> mapping;
  try {
    mapping = other->map(0, memory->handle());
  } catch (const CapabilityError& error) {
    GTEST_SKIP() << error.what();
  }
  const auto stream = other->create_stream(0);
  stream->advance(reinterpret_cast<std::uint64_t*>(mapping->data()));  // a kernel of the other device
  stream->synchronize();
  EXPECT_EQ(read(reinterpret_cast<const std::uint64_t*>(memory->data())), 1u);
}

/// Peer access that the option forbids is not given to virtual memory either.
TEST_F(GpuVirtualMemoryOfPairs, KeepsToThePeerAccessOption) {
  CudaOptions options;
  options.devices = {0, 1};
  options.memory_export = MemoryExport::fd;
  options.peer_access = [](int, int) { return false; };
  const auto apart = make_cuda_backend(options);
  const auto memory = apart->allocate_shareable(0, 64);
  EXPECT_THAT(thrown([&] { (void)apart->map(1, memory->handle()); }), HasSubstr("the peer-access option says no"));
}

TEST_F(GpuVirtualMemory, MessagesOfMpiAreInMemoryOfCudaMalloc) {
  const auto owner = exporting(MemoryExport::fd);
  EXPECT_TRUE(owner->memory_at(owner->allocate_for_messages(0, 64)->data()).exportable);
}

TEST_F(GpuVirtualMemory, ByFabricHandlesWorksOrIsRefusedWithTheReason) {
  const auto owner = exporting(MemoryExport::fabric);
  std::unique_ptr<ShareableBuffer> memory;
  try {
    memory = owner->allocate_shareable(0, 4096);
  } catch (const CapabilityError& error) {
    std::cout << error.what() << '\n';
    EXPECT_THAT(error.what(), AllOf(StartsWith("HALOCLINE_DEVICE_MEMORY is 'fabric', which device " +
                                               owner->info(0).uuid + " refuses: "),
                                    HasSubstr("; allowed is auto or ipc")));
    EXPECT_THAT(exporting(MemoryExport::automatic)->memory_export(0), StartsWith("legacy IPC handles ("));
    return;
  }
  count_to(*owner, *memory, 3);
  EXPECT_THAT(seen_by_another(*memory, "ipc", 0), HasSubstr("\nfound 3\n"));
  EXPECT_EQ(exporting(MemoryExport::automatic)->memory_export(0), "fabric handles");
}

}  // namespace
}  // namespace halocline::device::test
