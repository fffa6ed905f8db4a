// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace halocline::io {

using Json = nlohmann::ordered_json;

/// Indented by two; an object or array without further ones inside is kept on one line where it fits, so that a
/// table of links reads as a table. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string pretty(const Json& value);

}  // namespace halocline::io
