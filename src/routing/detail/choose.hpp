// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "routing/choose.hpp"

namespace halocline::routing {

/// A route without its pair.
struct Decision {
  Transport transport;
  std::string reason;
};

/// whose: "this pair". The transport is possible.
[[nodiscard]] Decision by_exception(Transport wanted, const PairFacts& facts, std::string_view whose);

/// Chooses by the policy's order and the measurements; the pair is used for the error's text only. Throws
/// CapabilityError if no allowed transport is possible.
[[nodiscard]] Decision by_policy(subdomain_id from, subdomain_id to, const PairFacts& facts, const Policy& policy);

}  // namespace halocline::routing
