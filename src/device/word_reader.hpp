// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"

namespace halocline::device {

/// Reads 64-bit words, such as epochs of flags, from the memory of a device, while the device may be waiting, or hang, or after it has
/// failed. Made by Backend::make_word_reader(), which allocates all that it needs.
class WordReader {
 public:
  virtual ~WordReader() = default;
  /// The words, each at a moment within the call. Nothing, and the reason in why_not, if the device does not copy them in time, also
  /// since an earlier call.
  [[nodiscard]] virtual std::optional<std::vector<std::uint64_t>> read(Duration patience,
                                                                       std::string& why_not) noexcept = 0;
};

/// For memory that the host can load.
[[nodiscard]] std::unique_ptr<WordReader> make_loading_reader(std::vector<const std::uint64_t*> words);

}  // namespace halocline::device
