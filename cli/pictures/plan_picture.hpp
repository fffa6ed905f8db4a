// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.hpp"

namespace cli {

/// Subdomains of a picture, at most.
inline constexpr std::int64_t most_drawn_subdomains = 1024;

/// The subdomains as boxes in isometric projection, with the layers in z apart, so that each box shows its upper side. Boxes have
/// the colour of their node, or of their device if there is one node; from the ninth on, colours repeat. An SVG document. Throws
/// InvalidArgument for more subdomains than can be drawn.
[[nodiscard]] std::string svg_of(const halocline::Plan& plan);

}  // namespace cli
