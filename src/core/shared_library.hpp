// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "core/verdict.hpp"

namespace halocline {

/// Functions of a library that is opened at run time, and stays loaded until the process ends.
class SharedLibrary {
 public:
  /// Never throws for a library that is not found. name: in reasons, as "NVML"; file: for the loader, as "libnvidia-ml.so.1".
  SharedLibrary(std::string name, const char* file);

  /// Sets function to the one that the library, or a library that it depends on, has as `symbol`; to null where there is none.
  template <typename Function>
  void find(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(address_of(symbol));
  }
  /// As find(); without the function the library is not usable.
  template <typename Function>
  void need(Function*& function, const char* symbol) {
    find(function, symbol);
    if (function == nullptr && usable_.yes) usable_ = Verdict::of(false, name_ + " is too old: it has no " + symbol);
  }

  /// No if it was not found, or has not all functions that were needed so far: the first of them is the reason.
  [[nodiscard]] const Verdict& usable() const { return usable_; }

 private:
  [[nodiscard]] void* address_of(const char* symbol) const;

  std::string name_;
  void* file_;
  Verdict usable_;
};

}  // namespace halocline
