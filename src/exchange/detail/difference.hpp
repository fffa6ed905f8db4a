// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "exchange/exchange.hpp"
#include "partition/halo.hpp"

namespace halocline::exchange {

/// What the other side of a message exchanges if its token differs from the token of `mine`: "the other side exchanges
/// 'u' in buffer 1, this side in buffer 0". A token is a hash, so this tries selections that differ from `mine`: in one
/// or two fields (in the buffer, in the depth, in all directions instead of some, or in whether the field is exchanged
/// at all), or in the buffers of all fields. Empty if none of these has the token.
[[nodiscard]] std::string difference(const Selection& mine, std::uint64_t token, const partition::Geometry& geometry);

/// "'u' (buffer 0), 'v' (buffer 1, depth 2)"
[[nodiscard]] std::string selection_text(const Selection& selection, const partition::Geometry& geometry);

}  // namespace halocline::exchange
