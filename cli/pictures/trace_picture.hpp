// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "context.hpp"

namespace cli {

/// One exchange of a trace that `--trace` wrote, as a timeline with a row for each track; step: of the exchange, the last by default.
/// An SVG document. name: of the option or file, for errors. Throws InvalidArgument for another document, a step that is not in it,
/// or too many tracks.
[[nodiscard]] std::string timeline_svg(const Json& trace, std::optional<std::int64_t> step, const std::string& file);

}  // namespace cli
