// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "io/detail/pretty.hpp"

namespace halocline::fuzz {

/// The JSON document of an input, to which a target adds what makes it whole; null for any other input.
inline io::Json document_of(std::string_view input) { return io::parse_document_or_null(input); }

}  // namespace halocline::fuzz
