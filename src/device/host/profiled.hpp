// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace halocline::device::host {

/// Tells the library of `halocline profile`, where it was preloaded, that a range stands for a device's memory for as
/// long as this lives: messages from there are counted as a GPU's. Does nothing without it.
class ProfiledRange {
 public:
  ProfiledRange(const std::byte* begin, std::size_t bytes);
  ~ProfiledRange();
  ProfiledRange(const ProfiledRange&) = delete;
  ProfiledRange& operator=(const ProfiledRange&) = delete;

 private:
  const std::byte* begin_;
};

}  // namespace halocline::device::host
