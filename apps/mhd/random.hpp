// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace mhd {

/// A number in [0, 1) that depends on its arguments alone (the finaliser of SplitMix64, one word after the other).
[[nodiscard]] inline double random_number(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const auto mix = [](std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  return static_cast<double>(mix(index ^ mix(stream ^ mix(seed))) >> 11) * 0x1p-53;
}

}  // namespace mhd
