// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/divider.hpp"

#include <bit>

namespace halocline::device::cuda {

Divider::Divider(std::uint32_t by) : divisor(by) {
  shift = static_cast<std::uint32_t>(std::bit_width(by - 1));
  factor = static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift)) + by - 1) / by);
}

}  // namespace halocline::device::cuda
