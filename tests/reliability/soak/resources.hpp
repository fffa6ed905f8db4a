// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/devices.hpp"

namespace halocline::soak {

/// What a process holds, and what is used of all GPUs that it sees.
struct Resources {
  static constexpr std::array<std::string_view, 6> names{
      "bytes of heap in use", "pages of address space", "mappings", "descriptors", "threads", "bytes of GPU memory"};
  std::array<std::int64_t, 6> held{};
  [[nodiscard]] static Resources now(DeviceKind kind);
};

/// Of samples over a run, whose first half is the warm-up: what grew from the third quarter to the last one, "12 descriptors, ...";
/// empty if nothing did. The least of each quarter counts, since a sample may fall on a moment when more is held. 2 KiB of heap are
/// nothing: a block has 32 bytes or more, and a quarter 64 repetitions or more, so that one block each is found.
[[nodiscard]] std::string growth(const std::vector<Resources>& samples);

}  // namespace halocline::soak
