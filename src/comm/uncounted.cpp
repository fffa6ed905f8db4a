// SPDX-License-Identifier: BSD-3-Clause
#include "comm/uncounted.hpp"

#include <dlfcn.h>

namespace halocline::comm {
namespace {

using Pause = void (*)(int more);

/// Null where the library is not there.
Pause pause() {
  static const auto found = reinterpret_cast<Pause>(dlsym(RTLD_DEFAULT, "halocline_profile_pause"));
  return found;
}

}  // namespace

Uncounted::Uncounted() {
  if (pause() != nullptr) pause()(1);
}

Uncounted::~Uncounted() {
  if (pause() != nullptr) pause()(-1);
}

}  // namespace halocline::comm
