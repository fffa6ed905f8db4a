// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "halocline/domain.hpp"

namespace apps {

/// Collective: the current values of a field's owned cells within a box of the domain, x fastest: on rank 0; elsewhere
/// nothing. Waits for all work first.
template <typename T>
[[nodiscard]] std::vector<T> gather(halocline::Domain& domain, halocline::Field<T> field, const halocline::Box& box);

}  // namespace apps
