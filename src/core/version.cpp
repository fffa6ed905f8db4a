// SPDX-License-Identifier: BSD-3-Clause
#include "core/version.hpp"

namespace halocline {

std::string_view library_version() { return HALOCLINE_VERSION; }

}  // namespace halocline
