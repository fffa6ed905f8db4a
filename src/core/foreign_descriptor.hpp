// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline {

/// The host that this process runs on, by the number of its boot; the same for all containers of a host. 0 where the kernel does not show
/// it.
[[nodiscard]] std::uint64_t host_identity();

/// What a process needs to take a file descriptor of another one that names no file, such as memory of a device. Trivially copyable;
/// without padding.
struct DescriptorHandle {
  std::uint64_t host = 0;           ///< host_identity() of the owner
  std::uint64_t pid_namespace = 0;  ///< in which the pid counts
  std::int32_t pid = 0;
  std::int32_t fd = -1;
};

/// A descriptor of this process for others to take for as long as it is open.
[[nodiscard]] DescriptorHandle handle_of_descriptor(int fd);

/// A file descriptor, which programs that this process starts do not inherit. Owner; its destructor closes it.
class OwnDescriptor {
 public:
  /// fd: also one that would be inherited, as CUDA's for memory are; negative for none.
  explicit OwnDescriptor(int fd);
  ~OwnDescriptor();
  OwnDescriptor(const OwnDescriptor&) = delete;
  OwnDescriptor& operator=(const OwnDescriptor&) = delete;
  OwnDescriptor(OwnDescriptor&& other) noexcept;
  OwnDescriptor& operator=(OwnDescriptor&&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

/// A descriptor of this process for what the owner's refers to (pidfd_getfd, Linux 5.6). Throws CapabilityError with the reason, and
/// what permits it.
[[nodiscard]] OwnDescriptor take_descriptor(const DescriptorHandle& handle);

}  // namespace halocline
