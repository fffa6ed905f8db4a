// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <string_view>

#include "halocline/error.hpp"

/// Whether this process will be rank 0: by the launcher's environment, before MPI_Init.
inline bool is_launched_first() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::string_view(rank) == "0";
  }
  throw halocline::InvalidArgument("this mode needs a launcher");
}
