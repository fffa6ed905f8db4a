// SPDX-License-Identifier: BSD-3-Clause
#include "core/bytes.hpp"

#include <fmt/core.h>

namespace halocline {

void Bytes::refuse(const std::string& what, std::int64_t most) const {
  const std::string count = too_many_ ? "2^63 or more" : std::to_string(bytes_);
  throw InvalidArgument(fmt::format("{} is {} bytes; allowed is at most {}", what, count, most));
}

}  // namespace halocline
