// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "halocline/box.hpp"

namespace halocline::comm {

/// A box of a 3-D array that a file contains, x fastest.
struct FilePart {
  std::int64_t offset = 0;          ///< of the array in the file, in bytes
  Vec3 extent;                      ///< of the array, in elements
  std::int64_t element_bytes = 1;   ///< the same on all ranks
  Box box{};                        ///< within the extent; may be empty
  const std::byte* data = nullptr;  ///< the elements of the box, dense
};

/// A file that all ranks of a RankGroup write together; see RankGroup::open_shared_file. Must not outlive the group. Its destructor
/// does not communicate: what was not closed is leaked with MPI.
class SharedFile {
 public:
  SharedFile() = default;
  SharedFile(const SharedFile&) = delete;  // one file one owner
  SharedFile& operator=(const SharedFile&) = delete;
  virtual ~SharedFile() = default;

  /// Collective: each rank writes its part, which may be empty; parts do not overlap. A failure to write is kept for close().
  virtual void write(const FilePart& part) = 0;
  /// Collective: brings what was written to the storage device and closes the file. Throws the same ResourceError on all ranks if
  /// anything failed: "rank R: <what> cannot be written: <why>".
  virtual void close() = 0;
};

}  // namespace halocline::comm
