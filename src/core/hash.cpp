// SPDX-License-Identifier: BSD-3-Clause
#include "core/hash.hpp"

namespace halocline {

Hash& Hash::add(std::span<const std::byte> bytes) {
  for (const std::byte b : bytes) {
    state_ ^= static_cast<std::uint64_t>(b);
    state_ *= 1099511628211ull;
  }
  return *this;
}

Hash& Hash::add(std::string_view text) {
  add(static_cast<std::int64_t>(text.size()));
  return add(std::as_bytes(std::span(text.data(), text.size())));
}

Hash& Hash::add(std::int64_t value) { return add(std::as_bytes(std::span<const std::int64_t, 1>(&value, 1))); }

}  // namespace halocline
