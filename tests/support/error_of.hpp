// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

namespace halocline::test {

/// What an E that f() throws says; "(no error)" where f() throws nothing. Anything else that it throws goes on.
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
