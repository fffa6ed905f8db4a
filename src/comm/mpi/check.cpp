// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi/check.hpp"

#include <fmt/core.h>

#include <array>
#include <cstring>
#include <string>

#include "halocline/error.hpp"

namespace halocline::comm::mpi {
namespace {

/// Open MPI ends the process that asks for the text of an error at another time.
bool has_texts() {
  int initialised = 0;
  int finalised = 0;
  return MPI_Initialized(&initialised) == MPI_SUCCESS && initialised != 0 && MPI_Finalized(&finalised) == MPI_SUCCESS &&
         finalised == 0;
}

}  // namespace

void check(int code, const char* what, std::source_location where) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  std::string why = "error " + std::to_string(code);
  if (has_texts() && MPI_Error_string(code, text.data(), &length) == MPI_SUCCESS && length > 0) why.assign(text.data());
  const char* slash = std::strrchr(where.file_name(), '/');
  throw CommunicationError(
      fmt::format("{} failed: {} ({}:{})", what, why, slash == nullptr ? where.file_name() : slash + 1, where.line()));
}

}  // namespace halocline::comm::mpi
