// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "partition/halo.hpp"

namespace halocline::partition {

/// Throws InvalidArgument where the arrays of all subdomains, with halos, take more than limits::domain_bytes. What holds for
/// them holds for every part: cells, messages, flows and their sums need no further check.
void check_size(const Geometry& geometry);

}  // namespace halocline::partition
