// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/image_cells.hpp"

#include <array>
#include <cstring>

#include "core/half.hpp"

namespace halocline {
namespace {

template <std::size_t Bytes>
using Raw = std::array<std::byte, Bytes>;

template <typename In, typename Convert>
std::vector<std::byte> interleaved(std::span<const std::byte> cells, int components, Convert&& convert) {
  const auto per_cell = static_cast<std::size_t>(components);
  const std::size_t count = cells.size() / sizeof(In) / per_cell;
  using Out = decltype(convert(In{}));
  std::vector<std::byte> all(count * per_cell * sizeof(Out));
  for (std::size_t component = 0; component < per_cell; ++component) {
    const std::byte* from = cells.data() + component * count * sizeof(In);
    std::byte* to = all.data() + component * sizeof(Out);
    for (std::size_t i = 0; i < count; ++i, from += sizeof(In), to += per_cell * sizeof(Out)) {
      In in;
      std::memcpy(&in, from, sizeof in);
      const Out out = convert(in);
      std::memcpy(to, &out, sizeof out);
    }
  }
  return all;
}

}  // namespace

std::vector<std::byte> image_cells(std::span<const std::byte> cells, const io::ImageArray& array) {
  const auto widen = [](auto narrow) -> float { return narrow.value(); };
  if (array.element == Element::f16) return interleaved<Half>(cells, array.components, widen);
  if (array.element == Element::bf16) return interleaved<BFloat16>(cells, array.components, widen);
  if (array.components == 1) return {};
  const auto same = [](auto raw) { return raw; };
  switch (bytes_of(array.element)) {
    case 1: return interleaved<Raw<1>>(cells, array.components, same);
    case 2: return interleaved<Raw<2>>(cells, array.components, same);
    case 4: return interleaved<Raw<4>>(cells, array.components, same);
    case 8: return interleaved<Raw<8>>(cells, array.components, same);
    default: return interleaved<Raw<16>>(cells, array.components, same);
  }
}

}  // namespace halocline
