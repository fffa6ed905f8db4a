// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/slab.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/round_up.hpp"

namespace halocline::device::cuda {

void* Slab::take(std::size_t bytes) {
  bytes = round_up(std::max<std::size_t>(bytes, 1), alignment);
  const auto found = std::ranges::find_if(free_, [&](const auto& range) { return range.second >= bytes; });
  if (found == free_.end()) return nullptr;
  const auto [offset, room] = *found;
  if (room > bytes) free_.emplace(offset + bytes, room - bytes);
  found->second = bytes;
  taken_.insert(free_.extract(found));
  return begin_ + offset;
}

bool Slab::give_back(void* memory) noexcept {
  auto* const byte = static_cast<std::byte*>(memory);
  if (std::less<>()(byte, begin_)) return false;
  const auto taken = taken_.find(static_cast<std::size_t>(byte - begin_));
  if (taken == taken_.end()) return false;
  const auto range = free_.insert(taken_.extract(taken)).position;
  if (const auto next = std::next(range); next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range != free_.begin()) {
    const auto before = std::prev(range);
    if (before->first + before->second == range->first) {
      before->second += range->second;
      free_.erase(range);
    }
  }
  return true;
}

}  // namespace halocline::device::cuda
