// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace faults {

/// Where a call comes from: up to four return addresses in the program's own code, innermost first, relative to where it is
/// loaded, so that they are the same in each run. Frames of the C++ library and of fmt between them are left out, as these call
/// the system for their caller.
struct Site {
  static constexpr int most = 4;
  std::uint64_t key = 0;  ///< a hash of the function and the addresses; 0 if another library makes the call
  std::uint64_t address[most] = {};
};

/// The site of the call that the calling thread is making to this library.
[[nodiscard]] Site site_of_call(const char* function);

/// Counts a call of a rank at a site. Returns how many it was.
std::uint64_t count(const Site& site, const char* function, int rank);

/// Begins to count calls anew.
void forget_calls();

/// Appends a line to the file that FAULTS_FILE names, if it is set: "failed SITE LIFE FUNCTION RANK".
void report_fault(const Site& site, const char* function, int rank, std::uint64_t life);

}  // namespace faults
