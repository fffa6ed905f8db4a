// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "partition/detail/grids.hpp"

namespace halocline::partition {
namespace {

constexpr int bits_per_dim = 21;  // 3 x 21 bits fit a 64-bit integer

/// What morton^-1 makes of `count` ones from bit `first` on, plus one: parts in each dimension.
Vec3 ones(int first, int count) {
  Vec3 grid = Vec3::filled(1);
  for (int bit = first; bit < first + count; ++bit) grid[bit % 3] *= 2;
  return grid;
}

}  // namespace

Vec3 morton_position(std::int64_t index) {
  if (index < 0) throw InvalidArgument(fmt::format("Morton index is {}; allowed is 0 or more", index));
  Vec3 position;
  for (int bit = 0; bit < 3 * bits_per_dim; ++bit) {
    position[bit % 3] |= ((index >> bit) & 1) << (bit / 3);
  }
  return position;
}

std::int64_t morton_index(const Vec3& position) {
  std::int64_t index = 0;
  for (int dim = 0; dim < 3; ++dim) {
    if (position[dim] < 0 || position[dim] >= std::int64_t{1} << bits_per_dim) {
      throw InvalidArgument(fmt::format("position on the Morton curve is {}; allowed are components from 0 to {}",
                                        to_string(position), (std::int64_t{1} << bits_per_dim) - 1));
    }
  }
  for (int bit = 0; bit < 3 * bits_per_dim; ++bit) {
    index |= ((position[bit % 3] >> (bit / 3)) & 1) << bit;
  }
  return index;
}

// P* = morton^-1(nodes * devices - 1) + 1, and the devices of a node are a run of the curve: its lowest bits.
detail::Grids detail::z_order_grids(std::int64_t nodes, std::int64_t devices_per_node) {
  const int device_bits = std::countr_zero(static_cast<std::uint64_t>(devices_per_node));
  const int node_bits = std::countr_zero(static_cast<std::uint64_t>(nodes));
  return {ones(device_bits, node_bits), ones(0, device_bits)};
}

}  // namespace halocline::partition
