// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

int main() {
  constexpr std::size_t pitch = 1088, rows = 134 * 134, huge = std::size_t{2} << 20;
  constexpr std::size_t bytes = (pitch * rows + 4096 + huge - 1) / huge * huge;
  for (const char* kind : {"4 KiB", "2 MiB", "shared"}) {
    const auto get = [&] {
      const bool shared = kind[0] == 's';
      const int fd = shared ? ::memfd_create("pages", 0) : -1;
      if (shared && ::ftruncate(fd, bytes) != 0) std::perror("ftruncate");
      void* p = ::mmap(nullptr, bytes + huge, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
                       fd, 0);
      if (!shared) p = reinterpret_cast<void*>((reinterpret_cast<std::size_t>(p) + huge - 1) / huge * huge);
      ::madvise(p, bytes, kind[0] == '4' ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
      std::memset(p, 1, bytes);
      return static_cast<char*>(p);
    };
    char* const a = get();
    char* const b = get();
    std::vector<double> times;
    for (int i = 0; i < 300; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{1040, 40}, {64, 1064}}) {
        for (std::size_t row = 0; row < rows; ++row) {
          __builtin_prefetch(a + from + (row + 24) * pitch, 0);
          __builtin_prefetch(b + to + (row + 24) * pitch, 1);
          std::memcpy(b + to + row * pitch, a + from + row * pitch, 24);
        }
      }
      times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%-8s min %.0f median %.0f us\n", kind, times.front(), times[times.size() / 2]);
  }
}
