// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace halocline {

/// Formatted text in memory of its own, cut at its size: for destructors and the reporting of errors, which must not allocate.
class ShortText {
 public:
  template <typename... Args>
  explicit ShortText(fmt::format_string<Args...> format, Args&&... args) noexcept {
    try {
      size_ = std::min(text_.size(),
                       fmt::format_to_n(text_.data(), text_.size(), format, std::forward<Args>(args)...).size);
    } catch (...) {  // text that cannot be formatted is left out
    }
  }
  operator std::string_view() const noexcept { return {text_.data(), size_}; }  // NOLINT(google-explicit-constructor)

 private:
  std::array<char, 504> text_{};
  std::size_t size_ = 0;
};

}  // namespace halocline
