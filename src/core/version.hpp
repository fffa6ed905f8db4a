// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace halocline {

/// "0.2.0".
[[nodiscard]] std::string_view library_version();

}  // namespace halocline
