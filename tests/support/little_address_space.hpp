// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace halocline::test {

/// Leaves this process 256 MiB of address space beyond what it has: for a few stacks only. Until its end, so that gcov can write.
class LittleAddressSpace {
 public:
  LittleAddressSpace() {
    ::getrlimit(RLIMIT_AS, &before_);
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit little{static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE) + (std::int64_t{256} << 20)),
                        before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &little);
  }
  ~LittleAddressSpace() { ::setrlimit(RLIMIT_AS, &before_); }
  LittleAddressSpace(const LittleAddressSpace&) = delete;
  LittleAddressSpace& operator=(const LittleAddressSpace&) = delete;

 private:
  rlimit before_{};
};

}  // namespace halocline::test
