// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>

namespace halocline::comm::mpi {

/// A number of bytes as MPI's count and datatype. Counts are ints, so more bytes than one count holds become one
/// element of a datatype of large blocks. The two sides of a message may choose different ones: the bytes are the same.
/// Not copyable, because it owns the datatype.
class Layout {
 public:
  static constexpr int largest = std::numeric_limits<int>::max();

  /// largest_count: smaller than an int allows only in tests.
  explicit Layout(std::size_t bytes, int largest_count = largest);
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  ~Layout();

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace halocline::comm::mpi
