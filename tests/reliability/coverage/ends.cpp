// SPDX-License-Identifier: BSD-3-Clause
// Writes a process's counts of lines and branches before it ends without destructors: by _exit(), _Exit(), abort() or MPI_Abort(), as ranks end
// that give up, and programs that a test ends on purpose. Preloaded: the program exports gcov's function (preset coverage).
#include <dlfcn.h>
#include <unistd.h>

namespace {

void write_counts() {
  if (const auto dump = reinterpret_cast<void (*)()>(::dlsym(RTLD_DEFAULT, "__gcov_dump"))) dump();
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

[[noreturn]] void _exit(int status) {
  write_counts();
  next<void(int)>("_exit")(status);
  __builtin_unreachable();
}

/// In the C library it is another name of the same function, so that it does not come by the one above.
[[noreturn]] void _Exit(int status) { ::_exit(status); }

[[noreturn]] void abort() {
  write_counts();
  next<void()>("abort")();
  __builtin_unreachable();
}

/// With Open MPI a communicator is a pointer, with MPICH a number: either is handed on as it is.
int MPI_Abort(void* communicator, int code) {
  write_counts();
  return next<int(void*, int)>("MPI_Abort")(communicator, code);
}
}
