// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "routing/choose.hpp"

namespace halocline::routing {

/// The facts with what they imply: a subdomain is on its own rank, a rank on its own node, and a device reaches
/// itself.
[[nodiscard]] PairFacts completed(PairFacts facts);

/// Why a transport that is possible is: "same node, other process, mapping yes".
[[nodiscard]] std::string why_possible(Transport transport, const PairFacts& facts);

}  // namespace halocline::routing
