// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/options.hpp"
#include "io/tuning_cache.hpp"

namespace halocline {

/// The options with settings in place (tune/candidates.hpp has their names). Throws InvalidArgument for a name or a value that is none.
[[nodiscard]] DomainOptions with_settings(DomainOptions options, const io::Settings& settings);

}  // namespace halocline
