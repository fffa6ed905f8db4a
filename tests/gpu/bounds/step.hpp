// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/cuda.hpp"
#include "halocline/halocline.hpp"

namespace halocline::test {

/// Enqueues next(p) = now(p + offset) for the owned cells.
void launch_shift(const Subdomain& subdomain, Field<float> field, const Vec3& offset);

}  // namespace halocline::test
