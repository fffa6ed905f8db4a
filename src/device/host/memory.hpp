// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/anonymous_file.hpp"
#include "core/shared_values.hpp"
#include "device/backend.hpp"
#include "device/host/doorbell.hpp"

namespace halocline::device::host {

/// The bytes of a MemoryHandle.
struct ExportedMemory {
  static constexpr const char* backend = "host";
  static constexpr std::uint64_t expected_magic = 0x3130'7473'6f68'6c68;  ///< "hlhost01"
  std::uint64_t magic = expected_magic;
  std::uint64_t process = 0;  ///< process_identity() of the exporter
  std::uint64_t address = 0;  ///< in the exporter
  std::uint64_t bytes = 0;
  AnonymousFileHandle memory;
  AnonymousFileHandle doorbell;
  std::array<char, 64> uuid{};  ///< of the exporter's device
};

/// The doorbell of an address: if another backend's memory is mapped there, its doorbell; otherwise this backend's own.
/// Thread-safe.
class DoorbellMap {
 public:
  explicit DoorbellMap(std::shared_ptr<Doorbell> own) : own_(std::move(own)) {}

  /// The exporter's doorbell, mapped once for all of its memory.
  [[nodiscard]] std::shared_ptr<Doorbell> open(const AnonymousFileHandle& handle);

  using Ranges = std::multimap<std::uintptr_t, std::pair<std::uintptr_t, std::shared_ptr<Doorbell>>>;
  Ranges::iterator add(const std::byte* begin, std::size_t bytes, std::shared_ptr<Doorbell> doorbell);
  void remove(Ranges::iterator range);
  [[nodiscard]] std::shared_ptr<Doorbell> of(const void* address) const;

 private:
  const std::shared_ptr<Doorbell> own_;
  mutable std::mutex mutex_;
  SharedValues<std::pair<std::uint64_t, std::uint64_t>, Doorbell> opened_;  ///< by device and inode
  Ranges ranges_;  ///< begin -> end, doorbell; may contain a range several times
};

/// 128-byte aligned memory of this process, counted as the device's or, for pinned_host, as the host's. Throws ResourceError.
[[nodiscard]] std::unique_ptr<Buffer> make_buffer(int device, std::size_t bytes);
/// The same as memory of an emulated device.
[[nodiscard]] std::unique_ptr<Buffer> make_device_buffer(int device, std::size_t bytes);
/// before_export is called by each handle(), and may throw.
[[nodiscard]] std::unique_ptr<ShareableBuffer> make_shareable(int device, std::size_t bytes,
                                                              std::shared_ptr<Doorbell> doorbell,
                                                              const std::string& uuid,
                                                              std::function<void()> before_export);
/// In the exporting process the exporter's own address, unless always_remap.
[[nodiscard]] std::unique_ptr<Mapping> make_mapping(const ExportedMemory& memory,
                                                    std::shared_ptr<DoorbellMap> doorbells, bool always_remap);

}  // namespace halocline::device::host
