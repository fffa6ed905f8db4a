// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>

namespace halocline::device::cuda {

/// Which ranges of a block of memory are taken. Not thread-safe.
class Slab {
 public:
  explicit Slab(std::byte* begin, std::size_t bytes) : begin_(begin), free_{{0, bytes}} {}
  /// Takes the first range that is large enough, at a multiple of `alignment` from the begin; null if there is none. Changes nothing if it throws.
  [[nodiscard]] void* take(std::size_t bytes);
  /// Gives a range back; allocates nothing. Returns false if the memory was not taken from here.
  bool give_back(void* memory) noexcept;

  static constexpr std::size_t alignment = 256;

 private:
  std::byte* begin_;
  std::map<std::size_t, std::size_t> free_;   ///< bytes by offset; no two of them touch
  std::map<std::size_t, std::size_t> taken_;  ///< bytes by offset
};

}  // namespace halocline::device::cuda
