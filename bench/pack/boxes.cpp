// SPDX-License-Identifier: BSD-3-Clause
#include "pack/boxes.hpp"

namespace halocline::bench {
namespace {

Strided at(const View<std::byte>& view, const Vec3& cell) {
  const auto& stride = view.stride_bytes();
  return {view.data() + cell.x * stride[0] + cell.y * stride[1] + cell.z * stride[2], stride};
}

}  // namespace

HaloBoxes boxes_towards(const std::vector<Direction>& directions, const Vec3& owned, std::int64_t radius,
                        std::int64_t element_bytes) {
  HaloBoxes all;
  all.element_bytes = element_bytes;
  for (const Direction d : directions) {
    HaloBox box{d, {}, 0, all.buffer_bytes};
    for (int dim = 0; dim < 3; ++dim) box.extent[dim] = d[dim] == 0 ? owned[dim] : radius;
    box.bytes = box.extent.volume() * element_bytes;
    all.buffer_bytes += (box.bytes + 127) / 128 * 128;
    all.boxes.push_back(box);
  }
  return all;
}

Strided sent_cells(const View<std::byte>& view, Direction d, std::int64_t radius) {
  Vec3 first;
  for (int dim = 0; dim < 3; ++dim) first[dim] = d[dim] > 0 ? view.owned().extent()[dim] - radius : 0;
  return at(view, first);
}

Strided filled_cells(const View<std::byte>& view, Direction d, std::int64_t radius) {
  Vec3 first;
  for (int dim = 0; dim < 3; ++dim) {
    // What travels up arrives below.
    first[dim] = d[dim] > 0 ? -radius : (d[dim] < 0 ? view.owned().extent()[dim] : 0);
  }
  return at(view, first);
}

Strided packed_cells(std::byte* buffer, const HaloBox& box, std::int64_t element_bytes) {
  return {buffer + box.packed_at,
          {element_bytes, element_bytes * box.extent.x, element_bytes * box.extent.x * box.extent.y}};
}

device::StridedCopy copy_of(const HaloBox& box, std::int64_t element_bytes, const Strided& target,
                            const Strided& source) {
  return {source.start, target.start, source.stride, target.stride, box.extent, element_bytes};
}

std::vector<Direction> one_of_each_shape() {
  std::vector<Direction> shapes;
  for (const Direction d : all_directions) {
    if (d[0] >= 0 && d[1] >= 0 && d[2] >= 0) shapes.push_back(d);
  }
  return shapes;
}

std::string short_name(Direction d) {
  std::string name;
  for (int dim = 0; dim < 3; ++dim) {
    if (d[dim] != 0) name += std::string(d[dim] > 0 ? "+" : "-") + "xyz"[dim];
  }
  return name;
}

}  // namespace halocline::bench
