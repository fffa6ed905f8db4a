// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "device/backend.hpp"
#include "domain/detail/agreement.hpp"
#include "io/tuning_cache.hpp"
#include "plan/plan.hpp"

namespace halocline {

/// Collective: what a choice is for. Names of hosts, identities of devices and what is only said for people do not count, so that equal
/// machines share choices. request: all values that ranks compare, with the user's own options. boxes: this rank's own, or none.
[[nodiscard]] io::TunedKey tuning_key(comm::RankGroup& comm, const Plan& plan, std::span<const NamedValue> request,
                                      const std::vector<Box>& boxes, const device::Backend& backend);

}  // namespace halocline
