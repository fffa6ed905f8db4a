// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace halocline::profile::fortran {

/// The function of the MPI library that a function of this library wraps, by its Fortran name.
class NextCall {
 public:
  constexpr explicit NextCall(const char* name) : name_(name) {}
  /// caller: where the program called. Its own libraries are asked where the process as a whole does not have the function,
  /// as that of a plug-in that was loaded privately. Ends the process where nobody has it. Thread-safe.
  [[nodiscard]] void* found_for(const void* caller) {
    void* const found = found_.load(std::memory_order_acquire);
    return found != nullptr ? found : find(caller);
  }

 private:
  void* find(const void* caller);

  const char* name_;
  std::atomic<void*> found_ = nullptr;
};

}  // namespace halocline::profile::fortran
