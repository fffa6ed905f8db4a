// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "device/backend.hpp"
#include "pack/methods.hpp"

namespace halocline::bench {
namespace {

using Side = std::function<Strided(const HaloBox&, std::int64_t element_bytes)>;

/// One list of strided copies, as one operation of a device.
Method strided(const Place& place, std::string name, int device, Side target, Side source) {
  Method method{std::move(name), device, false, true, true, {}};
  method.prepare = [&place, device, target = std::move(target), source = std::move(source)](const HaloBoxes& all) {
    std::vector<device::StridedCopy> copies;
    for (const auto& box : all.boxes) {
      copies.push_back(copy_of(box, all.element_bytes, target(box, all.element_bytes), source(box, all.element_bytes)));
    }
    std::shared_ptr<device::CopyList> list = place.backend->prepare(device, copies);
    return [list](device::Stream& stream) { stream.copy(*list); };
  };
  return method;
}

/// The packed boxes as one contiguous copy.
Method contiguous(std::string name, int device, std::byte* target, const std::byte* source) {
  Method method{std::move(name), device, false, true, true, {}};
  method.prepare = [target, source](const HaloBoxes& all) {
    return [=, bytes = static_cast<std::size_t>(all.buffer_bytes)](device::Stream& stream) {
      stream.copy(target, source, bytes);
    };
  };
  return method;
}

Side packed(std::byte* buffer) {
  return [buffer](const HaloBox& box, std::int64_t element_bytes) { return packed_cells(buffer, box, element_bytes); };
}

}  // namespace

std::vector<Method> library_methods(const Place& place) {
  const Side sent = [&place](const HaloBox& box, std::int64_t) {
    return sent_cells(place.sender, box.direction, place.radius);
  };
  const Side filled_here = [&place](const HaloBox& box, std::int64_t) {
    return filled_cells(place.sender, box.direction, place.radius);
  };
  const int here = place.sender_device;
  std::vector<Method> methods;
  methods.push_back(strided(place, "pack", here, packed(place.sender_buffer), sent));
  methods.back().every_direction = true;
  methods.push_back(strided(place, "unpack", here, filled_here, packed(place.sender_buffer)));
  methods.back().every_direction = true;
  // What bounds both: the same bytes from one contiguous buffer to another, by the same kernel.
  methods.push_back(
      strided(place, "contiguous kernel copy", here, packed(place.sender_second_buffer), packed(place.sender_buffer)));
  methods.push_back(strided(place, "local wrap", here, filled_here, sent));
  methods.push_back(strided(place, "pack into pinned memory", here, packed(place.pinned), sent));
  methods.push_back(strided(place, "unpack from pinned memory", here, filled_here, packed(place.pinned)));
  methods.push_back(contiguous("copy to pinned memory", here, place.pinned, place.sender_buffer));
  methods.push_back(contiguous("copy from pinned memory", here, place.sender_buffer, place.pinned));
  if (!place.two_devices()) return methods;

  const int there = place.receiver_device;
  const Side filled_there = [&place](const HaloBox& box, std::int64_t) {
    return filled_cells(place.receiver, box.direction, place.radius);
  };
  methods.push_back(contiguous("copy packed to peer", here, place.receiver_buffer, place.sender_buffer));
  methods.push_back(strided(place, "pack into peer's buffer (put)", here, packed(place.receiver_buffer), sent));
  methods.push_back(
      strided(place, "unpack from peer's buffer (get)", there, filled_there, packed(place.sender_buffer)));
  methods.push_back(strided(place, "cells to peer's halo (put)", here, filled_there, sent));
  methods.push_back(strided(place, "halo from peer's cells (get)", there, filled_there, sent));
  return methods;
}

}  // namespace halocline::bench
