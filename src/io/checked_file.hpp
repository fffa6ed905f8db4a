// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/serialise.hpp"

// Files of raw bytes in which damage is noticed where it is read: the data, in pieces of checked_piece_bytes, of which the last may be
// shorter, then the digest of each piece, then the digest of these digests. The last digest is kept elsewhere, too.
namespace halocline::io {

inline constexpr std::int64_t checked_piece_bytes = std::int64_t{1} << 20;

/// What is kept elsewhere of such a file.
struct CheckedFile {
  std::string name;  ///< in its folder
  std::int64_t data_bytes = 0;
  std::uint64_t digest = 0;  ///< of the digests

  [[nodiscard]] std::int64_t pieces() const { return (data_bytes + checked_piece_bytes - 1) / checked_piece_bytes; }
  friend bool operator==(const CheckedFile&, const CheckedFile&) = default;
};
auto members(MaybeConst<CheckedFile> auto& file) { return std::tie(file.name, file.data_bytes, file.digest); }

class CheckedWriter {
 public:
  /// Creates the file, which must not exist. Errors: ResourceError "checkpoint file '<path>' cannot be written: ...".
  CheckedWriter(const std::string& folder, std::string name);
  CheckedWriter(const CheckedWriter&) = delete;  // one file one owner
  CheckedWriter& operator=(const CheckedWriter&) = delete;
  ~CheckedWriter();  ///< removes the file unless finish() has returned

  void append(std::span<const std::byte> bytes);
  /// Brings everything, and the file's name, to the storage device. Called once, at the end.
  [[nodiscard]] CheckedFile finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class CheckedReader {
 public:
  /// Reads the digests. Throws InvalidArgument that names the file and what is wrong: missing, truncated, damaged.
  CheckedReader(const std::string& folder, CheckedFile file);
  CheckedReader(CheckedReader&&) noexcept;
  CheckedReader& operator=(CheckedReader&&) noexcept;
  ~CheckedReader();

  /// Reads bytes of the data; whole pieces are read and compared with their digests. The piece that was read last is kept, so reads
  /// at ascending offsets read each piece once.
  void read(std::int64_t offset, std::span<std::byte> bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halocline::io
