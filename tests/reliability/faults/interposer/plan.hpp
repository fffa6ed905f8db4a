// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace faults {

/// Which calls fail, from FAULTS_FAIL: SITE:NUMBER:MODE:RANK, such as 5f0c11d2a4c6e801:1:once:0. Several of them, with commas in between,
/// are for the parts of a program's life, which it separates by faults_next_life(); "none" is for a part without a fault.
struct Plan {
  std::uint64_t site = 0;     ///< see sites.hpp, or 0 for no fault
  std::uint64_t number = 1;   ///< the number-th call of a rank at that site fails
  bool from_then_on = false;  ///< later calls of the same function fail, too, wherever they are
  int rank = -1;              ///< the rank whose call fails, or -1 for all ranks
};

/// The plan of this life; the environment is read once. An unusable text ends the process with exit code 3.
[[nodiscard]] const Plan& plan();

/// The rank of the calling thread: that of the thread that started it, or of the process, which the launcher's environment has.
[[nodiscard]] int rank();
void set_rank(int rank);

/// One function that can fail. Objects of static storage; all members but the name are zero at first.
struct Point {
  const char* name;
  void* next = nullptr;  ///< the function that the program would call without this library
  /// By bit, the ranks for which all calls fail from now on; above bit 31 in which life, from 0.
  std::uint64_t lasting = 0;
};

/// Counts a call, if Halocline's code makes it (sites.hpp), and returns whether it has to fail.
[[nodiscard]] bool fails(Point& point);

/// The function of that name behind this library.
[[nodiscard]] void* next_of(Point& point);

}  // namespace faults
