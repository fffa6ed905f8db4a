// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "comm/rank_group.hpp"

namespace halocline::comm {

/// into[i] = into[i] (op) with[i]; both have the same length. A NaN on any rank makes the result NaN, so that the
/// result does not depend on the order. Sums of integers wrap.
void reduce_into(std::span<double> into, std::span<const double> with, Reduction reduction);
void reduce_into(std::span<std::int64_t> into, std::span<const std::int64_t> with, Reduction reduction);

}  // namespace halocline::comm
