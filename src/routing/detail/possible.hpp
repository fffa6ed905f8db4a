// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "routing/choose.hpp"

namespace halocline::routing {

/// The facts completed by what they imply: a subdomain is on its own rank, a rank is on its own node, and a device can
/// access itself.
[[nodiscard]] PairFacts completed(PairFacts facts);

/// Whether the sender's device can store into the receiver's arrays, if it can store into the receiver's memory at all.
[[nodiscard]] Verdict in_place(const PairFacts& facts);

/// Why a possible transport is possible: "same node, other process, mapping yes".
[[nodiscard]] std::string why_possible(Transport transport, const PairFacts& facts);

}  // namespace halocline::routing
