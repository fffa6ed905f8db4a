// SPDX-License-Identifier: BSD-3-Clause
#include "sites.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace faults {
namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool has(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// The code of this process: the program's, this library's, and of libraries that call the system for their caller.
struct Code {
  std::uintptr_t base = 0;  ///< of the program
  Range program;
  Range own;
  std::array<Range, 4> between;
  std::size_t betweens = 0;

  Code() {
    ::dl_iterate_phdr([](dl_phdr_info* info, std::size_t, void* code) { return static_cast<Code*>(code)->add(*info); },
                      this);
  }

 private:
  int add(const dl_phdr_info& info) {
    Range range{UINTPTR_MAX, 0};
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const auto& header = info.dlpi_phdr[i];
      if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
      const std::uintptr_t begin = info.dlpi_addr + header.p_vaddr;
      if (begin < range.begin) range.begin = begin;
      if (begin + header.p_memsz > range.end) range.end = begin + header.p_memsz;
    }
    const char* const name = info.dlpi_name;
    if (name == nullptr || name[0] == '\0') {  // the program, or the kernel's page
      if (program.end == 0) {
        program = range;
        base = info.dlpi_addr;
      }
    } else if (range.has(reinterpret_cast<std::uintptr_t>(&site_of_call))) {
      own = range;
    } else if ((std::strstr(name, "libstdc++.so") != nullptr || std::strstr(name, "libfmt.so") != nullptr) &&
               betweens < between.size()) {
      between[betweens++] = range;
    }
    return 0;
  }
};

const Code& code() {
  static const Code found;
  return found;
}

struct Walk {
  Site site;
  int found = 0;
  bool foreign = false;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* into) {
  auto& walk = *static_cast<Walk*>(into);
  int before = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
  const Code& of = code();
  if (address == 0) return _URC_END_OF_STACK;
  if (of.own.has(address)) return _URC_NO_REASON;
  if (of.program.has(address)) {
    walk.site.address[walk.found++] = address - of.base;
    return walk.found == Site::most ? _URC_END_OF_STACK : _URC_NO_REASON;
  }
  for (std::size_t i = 0; i < of.betweens; ++i) {
    if (of.between[i].has(address)) return _URC_NO_REASON;
  }
  if (walk.found == 0) walk.foreign = true;
  return _URC_END_OF_STACK;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29);
}

/// What the process has called. Never destroyed, and needs no memory of its own.
struct Counted {
  static constexpr int most_ranks = 8;
  std::atomic<std::uint64_t> key;
  std::atomic<const char*> function;
  std::uint64_t address[Site::most];
  std::atomic<std::uint64_t> calls[most_ranks];
};
constexpr std::size_t most_sites = std::size_t{1} << 15;
constinit Counted counted[most_sites] = {};

/// Appends by one call of the kernel, which no fault point is in.
void append(const char* text, std::size_t size) {
  const char* const path = std::getenv("FAULTS_FILE");
  if (path == nullptr) return;
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  static_cast<void>(::syscall(SYS_write, file, text, size));
  static_cast<void>(::syscall(SYS_close, file));
}

/// "seen KEY FUNCTION RANK CALLS ADDRESSES" for each site, when the process ends.
void report_sites() {
  static char text[most_sites * 128];
  std::size_t size = 0;
  for (const Counted& one : counted) {
    const std::uint64_t key = one.key;
    if (key == 0) continue;
    for (int rank = 0; rank < Counted::most_ranks; ++rank) {
      const std::uint64_t calls = one.calls[rank];
      if (calls == 0 || sizeof text - size < 256) continue;
      size += static_cast<std::size_t>(std::snprintf(
          text + size, sizeof text - size, "seen %016llx %s %d %llu %llx,%llx,%llx,%llx\n",
          static_cast<unsigned long long>(key), one.function.load(), rank, static_cast<unsigned long long>(calls),
          static_cast<unsigned long long>(one.address[0]), static_cast<unsigned long long>(one.address[1]),
          static_cast<unsigned long long>(one.address[2]), static_cast<unsigned long long>(one.address[3])));
    }
  }
  append(text, size);
}

/// The program's frames on a stack, whatever lies between them.
struct Stack {
  std::uint64_t address[24];
  int found = 0;
};

_Unwind_Reason_Code step_of_stack(_Unwind_Context* context, void* into) {
  auto& stack = *static_cast<Stack*>(into);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (code().program.has(address)) stack.address[stack.found++] = address - code().base;
  return stack.found == static_cast<int>(sizeof stack.address / sizeof stack.address[0]) ? _URC_END_OF_STACK
                                                                                         : _URC_NO_REASON;
}

/// "died SIGNAL ADDRESSES", once.
void report_stack(int signal) {
  static std::atomic_flag reported;
  static thread_local bool by_this_thread = false;
  if (by_this_thread) return;
  if (reported.test_and_set()) {
    while (true) ::pause();  // another thread dies, and the process with it
  }
  by_this_thread = true;
  Stack stack;
  _Unwind_Backtrace(step_of_stack, &stack);
  char text[640];
  int size = std::snprintf(text, sizeof text, "died %d ", signal);
  for (int i = 0; i < stack.found; ++i) {
    size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), "%llx,",
                          static_cast<unsigned long long>(stack.address[i]));
  }
  text[size - 1] = '\n';
  append(text, static_cast<std::size_t>(size));
}

void report_death(int signal) {
  report_stack(signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::terminate_handler terminate_otherwise = nullptr;

/// An exception that has met a noexcept still has the stack of where it was thrown. In processes with CUDA handlers of SIGABRT do not run.
[[noreturn]] void report_termination() {
  report_stack(SIGABRT);
  terminate_otherwise();
  std::abort();
}

[[gnu::constructor]] void at_begin() {
  if (std::getenv("FAULTS_FAIL") == nullptr) return;
  terminate_otherwise = std::set_terminate(report_termination);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, report_death);
}

[[gnu::destructor]] void at_end() {
  if (std::getenv("FAULTS_FAIL") == nullptr) report_sites();
}

}  // namespace

Site site_of_call(const char* function) {
  Walk walk;
  _Unwind_Backtrace(step, &walk);
  if (walk.foreign || walk.found == 0) return {};
  std::uint64_t key = 0;
  for (const char* c = function; *c != '\0'; ++c) key = mixed(key, static_cast<unsigned char>(*c));
  for (int i = 0; i < walk.found; ++i) key = mixed(key, walk.site.address[i]);
  walk.site.key = key == 0 ? 1 : key;
  return walk.site;
}

std::uint64_t count(const Site& site, const char* function, int rank) {
  const int of = rank < Counted::most_ranks ? rank : Counted::most_ranks - 1;
  for (std::size_t at = site.key % most_sites;; at = (at + 1) % most_sites) {
    std::uint64_t key = counted[at].key;
    if (key == 0 && counted[at].key.compare_exchange_strong(key, site.key)) {
      std::memcpy(counted[at].address, site.address, sizeof site.address);
      counted[at].function = function;
      key = site.key;
    }
    if (key == site.key) return ++counted[at].calls[of];
  }
}

void forget_calls() {
  for (Counted& one : counted) {
    for (auto& calls : one.calls) calls = 0;
  }
}

void report_fault(const Site& site, const char* function, int rank, std::uint64_t life) {
  char text[128];
  const int size =
      std::snprintf(text, sizeof text, "failed %016llx %llu %s %d\n", static_cast<unsigned long long>(site.key),
                    static_cast<unsigned long long>(life), function, rank);
  append(text, static_cast<std::size_t>(size));
}

}  // namespace faults
