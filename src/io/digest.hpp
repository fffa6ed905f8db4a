// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/verdict.hpp"

namespace halocline::io {

/// Whether this build has digests: no names the package and the option.
[[nodiscard]] Verdict has_digests();

/// XXH3 with 64 bits, by xxHash: notices damage, not intent. Throws CapabilityError in builds without xxHash.
[[nodiscard]] std::uint64_t digest_of(std::span<const std::byte> bytes);

}  // namespace halocline::io
