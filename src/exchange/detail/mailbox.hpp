// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/backend.hpp"
#include "device/flag.hpp"
#include "halocline/ids.hpp"

namespace halocline::exchange {

/// The device memory of one local subdomain that other subdomains write to: flags and receive buffers, after the
/// subdomain's own epochs. One allocation, exported once. Laid out first (reserve), then allocated.
class Mailbox {
 public:
  /// Offsets from the start of the allocation; multiples of 128 bytes.
  [[nodiscard]] std::size_t reserve_flags(int count);
  [[nodiscard]] std::size_t reserve_receive_buffer(std::int64_t bytes);
  void allocate(device::Backend& backend, int device);

  [[nodiscard]] std::byte* at(std::size_t offset) const { return buffer_->data() + offset; }
  [[nodiscard]] device::Flag* flag(std::size_t offset) const;
  /// The address of one of several flags that were reserved together, from the address of the first.
  [[nodiscard]] static device::Flag* nth(device::Flag* first, int n);
  /// The number of exchanges that this subdomain has begun; advanced in its stream.
  [[nodiscard]] std::uint64_t* epoch() const;
  /// The same for the device's fused operation, which has its own count.
  [[nodiscard]] std::uint64_t* fused_epoch() const;
  [[nodiscard]] device::MemoryHandle handle() const { return buffer_->handle(); }

 private:
  std::size_t bytes_ = 256;  // the epochs come first, each in a separate cache line
  std::unique_ptr<device::ShareableBuffer> buffer_;
};

}  // namespace halocline::exchange
