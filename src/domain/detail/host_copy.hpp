// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/domain.hpp"

namespace halocline {

enum class CopyTo : int { host, device };

/// Enqueues copies of the cells of a box, between a buffer of a field (the current one after `ahead` swaps) and dense host memory: x
/// fastest, components one after another, so that rows are contiguous on both sides. In the order of the subdomain's stream.
void enqueue_host_copy(const Subdomain& subdomain, field_id field, int ahead, const Box& box, std::byte* host,
                       CopyTo to);

}  // namespace halocline
