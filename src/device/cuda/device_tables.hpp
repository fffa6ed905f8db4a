// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/round_up.hpp"
#include "device/cuda/devices.hpp"

namespace halocline::device::cuda {

/// Memory of a device that kernels read.
using Tables = std::unique_ptr<void, StreamWork::FreeBehind>;

/// Gathers arrays of plain values that kernels read, and puts them into one allocation of a device.
class DeviceTables {
 public:
  template <typename T>
  struct Place {
    std::size_t offset = 0;
    [[nodiscard]] T* in(const Tables& memory) const {
      return reinterpret_cast<T*>(static_cast<std::byte*>(memory.get()) + offset);
    }
  };

  template <typename T>
  [[nodiscard]] Place<T> add(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignment);
    const std::size_t offset = round_up(bytes_.size(), alignment);
    bytes_.resize(offset + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes_.data() + offset, values.data(), values.size() * sizeof(T));
    return {offset};
  }

  /// Null if there is nothing to store. The device must be current.
  [[nodiscard]] Tables to_device(Devices& devices, int device) const;

 private:
  static constexpr std::size_t alignment = 128;
  std::vector<std::byte> bytes_;
};

}  // namespace halocline::device::cuda
