// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"
#include "io/digest.hpp"

namespace halocline::io {

Verdict has_digests() {
  return Verdict::of(false,
                     "this Halocline was built without xxHash: install libxxhash-dev and set HALOCLINE_XXHASH=ON");
}

std::uint64_t digest_of(std::span<const std::byte>) { throw CapabilityError(has_digests().why_not); }

}  // namespace halocline::io
