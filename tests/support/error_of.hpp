// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

namespace halocline::test {

/// The message of the E that f() throws; "(no error)" if f() throws nothing. Other exceptions propagate.
template <typename E, typename F>
[[nodiscard]] std::string error_of(F&& f) {
  try {
    static_cast<void>(std::forward<F>(f)());
  } catch (const E& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace halocline::test
