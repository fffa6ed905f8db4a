// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csetjmp>
#include <cstddef>
#include <functional>
#include <vector>

namespace halocline::simulation {

/// Does nothing: a breakpoint of debuggers.
[[gnu::noinline]] void stands_here();

/// A thread of execution that is switched by the program itself. All fibers of a process run on its one thread of the system, one at a time.
/// To each belongs what belongs to a thread elsewhere: a stack, the program's thread_local objects, the exceptions in flight, and errno.
/// A fiber that has not ended when the process ends is not unwound, and no stack is given back before.
class Fiber {
 public:
  /// The stack of the caller, who runs on no fiber yet.
  Fiber();
  /// A stack of its own. Runs body from the first resume() on, then destroys its thread_local objects and calls ended, which returns the
  /// fiber that goes on.
  Fiber(std::function<void()> body, std::function<Fiber&()> ended);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// The one that runs; null before the first.
  [[nodiscard]] static Fiber* running();
  /// Switches to this fiber, which must not run and not have ended. Returns when the caller is resumed.
  void resume();
  /// Calls stands_here() on this fiber's stack, at the place where it goes on when it is resumed.
  void visit();
  /// Adds a destructor of the running fiber's thread_local objects.
  void at_end(void (*destructor)(void*), void* object);

 private:
  struct Destructor {
    void (*call)(void*);
    void* object;
  };
  /// The C++ runtime's __cxa_eh_globals, as its binary interface defines them.
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  static void run() noexcept;
  void save();
  void restore();
  void destroy_thread_locals();

  std::jmp_buf where_{};
  std::function<void()> body_;
  std::function<Fiber&()> ended_;
  std::vector<std::byte> thread_locals_;
  std::vector<Destructor> destructors_;
  Exceptions exceptions_;
  int errno_ = 0;
};

}  // namespace halocline::simulation
