// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placement/placement.hpp"

namespace halocline::placement::detail {

/// By subdomain_id. Throws InvalidArgument if a device of the map does not own exactly one subdomain.
[[nodiscard]] std::vector<Slot> slots_of_owners(std::span<const Owner> owners, std::int64_t subdomains,
                                                const machine::MachineMap& map);

}  // namespace halocline::placement::detail
