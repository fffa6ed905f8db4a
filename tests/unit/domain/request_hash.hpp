// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/hash.hpp"
#include "domain/detail/agreement.hpp"

namespace halocline {

/// The hash of all parts of a request that ranks compare, including its machine.
inline std::uint64_t hash_of(const PlanRequest& request) {
  Hash hash;
  for (const NamedValue& value : values_of(request)) hash.add(value.name).add(static_cast<std::int64_t>(value.hash));
  return hash.add(static_cast<std::int64_t>(value_of(request.machine).hash)).value();
}

}  // namespace halocline
