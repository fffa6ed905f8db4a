// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backend.hpp"

namespace halocline::device {

/// Reads 64-bit words, such as epochs of flags, from the memory of a device, while the device may be waiting, or hang: by a copy
/// engine, in a stream of its own and for a limited time. On the host they are loaded.
class WordReader {
 public:
  /// The words must be valid for as long as this object, and longer if read() returned nothing. Makes the stream and the memory that
  /// it copies to.
  WordReader(Backend& backend, int device, std::vector<const std::uint64_t*> words);
  WordReader(const WordReader&) = delete;
  WordReader& operator=(const WordReader&) = delete;
  /// Copies that are under way keep their stream and their memory, which are leaked.
  ~WordReader();

  /// The words, each at a moment within the call. Nothing, and the reason in why_not, if the device does not copy them in time, also
  /// since an earlier call.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> read(Duration patience, std::string& why_not) noexcept;

 private:
  [[nodiscard]] std::vector<std::uint64_t> copied(Duration patience);

  std::vector<const std::uint64_t*> words_;
  bool loads_;
  std::unique_ptr<Buffer> copies_;  ///< these three: null if words are loaded
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Event> copied_;
  bool under_way_ = false;
};

}  // namespace halocline::device
