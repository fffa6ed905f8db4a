// SPDX-License-Identifier: BSD-3-Clause
// A stack is entered by makecontext() and switched by _setjmp() and _longjmp(), as in QEMU: swapcontext() makes a system call each time.
#undef _FORTIFY_SOURCE  // its longjmp refuses other stacks
#include "simulation/fibers.hpp"

#include <cxxabi.h>
#include <fmt/core.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

namespace halocline::simulation {
namespace {

/// The library's threads use 21 KiB.
constexpr std::size_t stack_bytes = std::size_t{256} << 10;

Fiber* current = nullptr;
Fiber* visitor = nullptr;
Fiber* in_constructor = nullptr;
std::jmp_buf constructor;

/// Below it is a page that cannot be written.
void* new_stack() {
  const auto guard = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const made = ::mmap(nullptr, guard + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED || ::mprotect(made, guard, PROT_NONE) != 0) {
    throw std::runtime_error(fmt::format("no memory for a stack: {}", std::strerror(errno)));
  }
  return static_cast<std::byte*>(made) + guard;
}

/// The thread_local objects of the program. They are one block, since all that it runs is linked statically.
struct ThreadLocals {
  std::byte* objects = nullptr;
  const std::byte* initial = nullptr;
  std::size_t initial_bytes = 0;  ///< the others are zero
  std::size_t bytes = 0;
};

const ThreadLocals& thread_locals() {
  static const ThreadLocals found = [] {
    ThreadLocals of_program;
    // The program is the first.
    const auto read = [](dl_phdr_info* object, std::size_t, void* result) {
      for (const auto& part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
        if (part.p_type != PT_TLS) continue;
        *static_cast<ThreadLocals*>(result) = {static_cast<std::byte*>(object->dlpi_tls_data),
                                               reinterpret_cast<const std::byte*>(object->dlpi_addr + part.p_vaddr),
                                               part.p_filesz, part.p_memsz};
      }
      return 1;
    };
    ::dl_iterate_phdr(read, &of_program);
    return of_program;
  }();
  return found;
}

/// The first thing that a fiber does when it goes on.
void answer_visit() {
  if (visitor == nullptr) return;
  stands_here();
  std::exchange(visitor, nullptr)->resume();
}

}  // namespace

void stands_here() { asm volatile(""); }

Fiber::Fiber() : thread_locals_(thread_locals().bytes) {
  current = this;
  __libc_single_threaded = 0;  // the C++ library would leave out what is needed where there are threads
}

Fiber::Fiber(std::function<void()> body, std::function<Fiber&()> ended)
    : body_(std::move(body)), ended_(std::move(ended)), thread_locals_(thread_locals().bytes) {
  std::copy_n(thread_locals().initial, thread_locals().initial_bytes, thread_locals_.begin());
  ucontext_t entry;
  ::getcontext(&entry);
  entry.uc_stack.ss_sp = new_stack();
  entry.uc_stack.ss_size = stack_bytes;
  entry.uc_link = nullptr;
  ::makecontext(&entry, run, 0);
  in_constructor = this;
  if (_setjmp(constructor) == 0) ::setcontext(&entry);
}

void Fiber::run() noexcept {
  Fiber& self = *in_constructor;
  if (_setjmp(self.where_) == 0) _longjmp(constructor, 1);
  answer_visit();
  self.body_();
  self.destroy_thread_locals();
  Fiber& next = self.ended_();
  next.restore();
  _longjmp(next.where_, 1);
}

Fiber* Fiber::running() { return current; }

void Fiber::resume() {
  Fiber& left = *current;
  left.save();
  restore();
  if (_setjmp(left.where_) == 0) _longjmp(where_, 1);
  answer_visit();
}

void Fiber::visit() {
  visitor = current;
  resume();
}

void Fiber::at_end(void (*destructor)(void*), void* object) { destructors_.push_back({destructor, object}); }

void Fiber::save() {
  errno_ = errno;
  exceptions_ = *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
  std::copy_n(thread_locals().objects, thread_locals().bytes, thread_locals_.begin());
}

void Fiber::restore() {
  current = this;
  std::ranges::copy(thread_locals_, thread_locals().objects);
  *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals()) = exceptions_;
  errno = errno_;
}

void Fiber::destroy_thread_locals() {
  while (!destructors_.empty()) {
    const Destructor last = destructors_.back();
    destructors_.pop_back();
    last.call(last.object);
  }
}

}  // namespace halocline::simulation
