// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

namespace halocline::test {

/// Thread-local: whether operator new fails. without_memory.cpp replaces it, in the programs that it is a source of.
inline thread_local bool out_of_memory = false;

/// While one lives, operator new fails in this thread, or works again with `false`.
class WithoutMemory {
 public:
  explicit WithoutMemory(bool without = true) : before_(std::exchange(out_of_memory, without)) {}
  ~WithoutMemory() { out_of_memory = before_; }
  WithoutMemory(const WithoutMemory&) = delete;
  WithoutMemory& operator=(const WithoutMemory&) = delete;

 private:
  bool before_;
};

}  // namespace halocline::test
