// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/error.hpp"

// What a fuzz target consists of. libFuzzer, or the driver in driver/ where the compiler has none, calls it once for each input.

/// The entry point, by the name that libFuzzer requires. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace halocline::fuzz {

/// Inputs that no file of the tree contains, in a fixed order. Each target defines it; only the driver calls it.
[[nodiscard]] std::vector<std::string> own_seeds();

/// Whether the last input was a valid one or was refused. The driver counts them.
inline bool was_valid = false;

/// Ends the process, as a crash would.
[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

inline void require(bool holds, const char* what) {
  if (!holds) fail(std::string("violated: ") + what);
}

/// Runs check(text). Refusal: the error by which an input is refused; any other exception is a failure.
template <typename Refusal = InvalidArgument, typename Check>
int run_target(const std::uint8_t* data, std::size_t size, Check&& check) {
  was_valid = false;
  try {
    check(std::string_view(reinterpret_cast<const char*>(data), size));
    was_valid = true;
  } catch (const Refusal& error) {
    require(error.what()[0] != '\0', "an error has a text");
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  } catch (const std::exception& error) {
    fail(std::string("exception: ") + error.what());
  }
  return 0;
}

}  // namespace halocline::fuzz
