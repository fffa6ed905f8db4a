// SPDX-License-Identifier: BSD-3-Clause
#include "core/serialise.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline::serialising {

void refuse(const char* what) {
  throw InternalError(fmt::format("a message between ranks {}: ranks of different builds in one job?", what));
}

}  // namespace halocline::serialising
