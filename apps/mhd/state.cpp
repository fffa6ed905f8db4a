// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/state.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace mhd {

template <typename T>
Arrays<T> arrays_of(const halocline::Subdomain& subdomain, const State<T>& state) {
  Arrays<T> arrays{};
  arrays.origin = subdomain.owned().lo;
  const auto strides = subdomain.view(state[0]).stride_bytes();
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  for (std::size_t i = 0; i < field_count; ++i) {
    for (const int ahead : {0, 1}) {
      const auto view = subdomain.view(state[i], ahead);
      if (view.stride_bytes() != strides || strides[0] != size || strides[1] % size != 0 || strides[2] % size != 0) {
        throw halocline::InvalidArgument(fmt::format(
            "mhd: field '{}' lies differently from '{}' in memory, or has gaps in x; allowed are eight that "
            "lie alike, x without gaps",
            field_names[i], field_names[0]));
      }
      if (ahead == 0) arrays.now[i] = view.data();
      if (ahead == 1) arrays.next[i] = view.data();
    }
  }
  arrays.pitch_y = strides[1] / size;
  arrays.pitch_z = strides[2] / size;
  if (subdomain.wraps(0)) arrays.around = subdomain.owned().extent().x;
  return arrays;
}

template Arrays<float> arrays_of<float>(const halocline::Subdomain&, const State<float>&);
template Arrays<double> arrays_of<double>(const halocline::Subdomain&, const State<double>&);

}  // namespace mhd
