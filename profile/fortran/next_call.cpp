// SPDX-License-Identifier: BSD-3-Clause
#include "profile/fortran/next_call.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace halocline::profile::fortran {
namespace {

/// In the library that an address lies in, and those that it needs.
void* near(const void* address, const char* name) {
  Dl_info place{};
  if (dladdr(address, &place) == 0) return nullptr;
  void* const library = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace

void* NextCall::find(const void* caller) {
  void* found = dlsym(RTLD_NEXT, name_);
  if (found == nullptr) found = near(caller, name_);
  if (found == nullptr) {
    std::fprintf(stderr, "halocline profile: error: MPI's Fortran library has no %s; run the program without\n", name_);
    std::abort();
  }
  found_.store(found, std::memory_order_release);
  return found;
}

}  // namespace halocline::profile::fortran
