// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detail/kernels.hpp"

#include <cstring>

namespace halocline::machine::measuring {

void copy_by_kernel(DeviceKind kind, int number, device::Stream& stream, std::byte* target, const std::byte* source,
                    std::size_t bytes) {
  if (kind == DeviceKind::cuda) return cuda::copy_by_kernel(number, stream, target, source, bytes);
  stream.launch(Box::of_extent({1, 1, 1}), [=](const Box&) { std::memcpy(target, source, bytes); });
}

}  // namespace halocline::machine::measuring
