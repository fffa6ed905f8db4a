// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi/layout.hpp"

#include <array>

#include "comm/mpi/check.hpp"
#include "comm/mpi/finalisation.hpp"
#include "core/checked.hpp"

namespace halocline::comm::mpi {

Layout::Layout(std::size_t bytes, int largest_count) {
  const auto most = static_cast<std::size_t>(largest_count);
  if (bytes <= most) {
    count_ = static_cast<int>(bytes);
    return;
  }
  const int blocks = checked_cast<int>(bytes / most, "blocks of a message");
  const int rest = static_cast<int>(bytes % most);
  MPI_Datatype block = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(largest_count, MPI_BYTE, &block), "MPI_Type_contiguous");
  const std::array<int, 2> counts{blocks, rest};
  const std::array<MPI_Aint, 2> offsets{0, static_cast<MPI_Aint>(bytes - static_cast<std::size_t>(rest))};
  const std::array<MPI_Datatype, 2> types{block, MPI_BYTE};
  const int failed = MPI_Type_create_struct(2, counts.data(), offsets.data(), types.data(), &type_);
  MPI_Type_free(&block);
  check(failed, "MPI_Type_create_struct");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
  count_ = 1;
}

Layout::~Layout() {
  // MPI keeps the datatype for as long as a message under way needs it.
  if (type_ != MPI_BYTE && !finalising()) MPI_Type_free(&type_);
}

}  // namespace halocline::comm::mpi
