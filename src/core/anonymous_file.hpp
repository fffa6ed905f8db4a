// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace halocline {

/// What another process of the same user needs to map an AnonymousFile. Trivially copyable, so it can
/// travel in a message. Treat it as a secret between the ranks of one job.
struct AnonymousFileHandle {
  std::int64_t pid = 0;
  std::int32_t fd = -1;
  std::int32_t unused = 0;  ///< no padding: handles are compared byte by byte
  std::uint64_t bytes = 0;
  std::uint64_t device = 0;  ///< st_dev and st_ino of the file, checked when it is opened,
  std::uint64_t inode = 0;   ///< so that a recycled pid or descriptor is noticed
};

/// Memory that other processes can map, without a name in any file system: the kernel frees it with
/// its last user, so a killed process leaves no files. Not limited by the size of /dev/shm.
/// Owner, move-only: copying would make two owners of one mapping. Zero-filled at first.
class AnonymousFile {
 public:
  /// Creates and maps at least bytes (above 0). Throws ResourceError with the kernel's reason.
  explicit AnonymousFile(std::size_t bytes) : AnonymousFile(bytes, "halocline") {}
  /// name: what the kernel shows in /proc/<pid>/fd.
  AnonymousFile(std::size_t bytes, const char* name);
  /// Maps another process's file, or the same memory again where the handle is this process's own.
  /// Throws CapabilityError with the reason if this process may not.
  static AnonymousFile open(const AnonymousFileHandle& handle);
  /// The handle of a file of another process that is known by its descriptor. Throws CapabilityError with the reason if this process
  /// may not look at it.
  static AnonymousFileHandle handle_of(std::int64_t pid, int fd);

  AnonymousFile(AnonymousFile&& other) noexcept;
  AnonymousFile& operator=(AnonymousFile&& other) noexcept;
  AnonymousFile(const AnonymousFile&) = delete;
  AnonymousFile& operator=(const AnonymousFile&) = delete;
  /// Unmaps and closes. Mappings that other processes hold stay valid.
  ~AnonymousFile();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Valid for as long as this object lives. Only for the creator; an opened file throws InternalError.
  [[nodiscard]] AnonymousFileHandle handle() const;

 private:
  AnonymousFile() = default;
  void release() noexcept;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  int fd_ = -1;
};

}  // namespace halocline
