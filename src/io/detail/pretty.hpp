// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "io/json_value.hpp"

namespace halocline::io {

/// Indents by two. An object or array that contains no others is kept on one line if it fits, so that a table of links
/// looks like a table. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string pretty(const Json& value);

}  // namespace halocline::io
