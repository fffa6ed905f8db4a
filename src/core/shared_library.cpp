// SPDX-License-Identifier: BSD-3-Clause
#include "core/shared_library.hpp"

#include <dlfcn.h>

#include <utility>

namespace halocline {

SharedLibrary::SharedLibrary(std::string name, const char* file)
    : name_(std::move(name)), file_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)), usable_(Verdict::of(file_ != nullptr)) {
  if (file_ != nullptr) return;
  const char* const why = ::dlerror();
  usable_.why_not = name_ + " was not found: " + (why == nullptr ? "unknown error" : why);
}

void* SharedLibrary::address_of(const char* symbol) const {
  // Without a file the loader would look through all libraries of the process.
  return file_ == nullptr ? nullptr : ::dlsym(file_, symbol);
}

}  // namespace halocline
