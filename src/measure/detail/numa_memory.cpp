// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detail/numa_memory.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "core/start_thread.hpp"
#include "halocline/error.hpp"

namespace halocline::machine::measuring {
namespace {

/// "0-3,8" as a set. Cores beyond what a set holds are left out.
cpu_set_t cores_from(const std::string& list) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at < end) {
    int first = 0;
    const auto [behind, problem] = std::from_chars(at, end, first);
    if (problem != std::errc{}) break;
    int last = first;
    at = behind;
    if (at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    for (int core = first; core <= last && core < CPU_SETSIZE; ++core) CPU_SET(static_cast<std::size_t>(core), &cores);
    if (at < end) ++at;
  }
  return cores;
}

class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
      throw ResourceError(fmt::format("cannot map {} bytes of host memory: {}", bytes, std::strerror(errno)));
    }
    data_ = static_cast<std::byte*>(pages);
  }
  ~Pages() { ::munmap(data_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

/// Touches all pages from a core of the node.
void place(const Pages& pages, int numa) {
  std::ifstream file(fmt::format("/sys/devices/system/node/node{}/cpulist", numa));
  std::string list;
  std::getline(file, list);
  const cpu_set_t cores = cores_from(list);
  if (CPU_COUNT(&cores) == 0) throw CapabilityError(fmt::format("NUMA node {} has no known cores", numa));
  int problem = 0;
  start_thread("to place memory on a NUMA node", [&] {
    if (::sched_setaffinity(0, sizeof cores, &cores) != 0) {
      problem = errno;
      return;
    }
    std::memset(pages.data(), 0, pages.bytes());
  }).join();
  if (problem != 0) {
    throw CapabilityError(
        fmt::format("cores of NUMA node {} cannot be used by this process: {}", numa, std::strerror(problem)));
  }
  // Where the system may not be asked (some containers), it is believed.
  constexpr unsigned long node_of_address = 1 | 2;  // MPOL_F_NODE | MPOL_F_ADDR
  int there = -1;
  const long answer = ::syscall(SYS_get_mempolicy, &there, nullptr, 0UL, pages.data(), node_of_address);
  if (answer == 0 && there != numa) {
    throw CapabilityError(fmt::format("memory for NUMA node {} was put on node {}", numa, there));
  }
}

class PlacedMemory final : public HostMemory {
 public:
  PlacedMemory(device::Backend& backend, std::size_t bytes, int numa) : pages_(bytes) {
    place(pages_, numa);
    registration_ = backend.register_host(pages_.data(), pages_.bytes());
  }
  [[nodiscard]] std::byte* data() const override { return pages_.data(); }

 private:
  Pages pages_;
  std::unique_ptr<device::Registration> registration_;
};

class AnyMemory final : public HostMemory {
 public:
  AnyMemory(device::Backend& backend, std::size_t bytes) : buffer_(backend.allocate_pinned(bytes)) {
    std::memset(buffer_->data(), 0, bytes);
  }
  [[nodiscard]] std::byte* data() const override { return buffer_->data(); }

 private:
  std::unique_ptr<device::Buffer> buffer_;
};

class PageableMemory final : public HostMemory {
 public:
  PageableMemory(std::size_t bytes, int numa) : pages_(bytes) {
    if (numa < 0) {
      std::memset(pages_.data(), 0, bytes);
    } else {
      place(pages_, numa);
    }
  }
  [[nodiscard]] std::byte* data() const override { return pages_.data(); }

 private:
  Pages pages_;
};

}  // namespace

std::unique_ptr<HostMemory> pageable_memory(std::size_t bytes, int numa) {
  return std::make_unique<PageableMemory>(bytes, numa);
}

std::unique_ptr<HostMemory> pinned_memory(device::Backend& backend, std::size_t bytes, int numa) {
  if (numa < 0) return std::make_unique<AnyMemory>(backend, bytes);
  return std::make_unique<PlacedMemory>(backend, bytes, numa);
}

}  // namespace halocline::machine::measuring
