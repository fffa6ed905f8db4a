// SPDX-License-Identifier: BSD-3-Clause
#include "device/backend.hpp"
#include "pack/methods.hpp"
#include "support/cuda.cuh"

namespace halocline::bench {
namespace {

using Side = std::function<Strided(const HaloBox&, std::int64_t element_bytes)>;

/// CUDA takes a pitch and a height: the stride in z must be a multiple of that in y.
cudaPitchedPtr pitched(const Strided& cells, const HaloBox& box, std::int64_t element_bytes) {
  const auto row = static_cast<std::size_t>(cells.stride[1]);
  return make_cudaPitchedPtr(cells.start, row, static_cast<std::size_t>(box.extent.x * element_bytes),
                             static_cast<std::size_t>(cells.stride[2]) / row);
}

Method memcpy3d(std::string name, int device, Side target, Side source) {
  Method method;
  method.name = "cudaMemcpy3DAsync " + std::move(name);
  method.device = device;
  method.in_a_graph = false;  // as people call it
  method.prepare = [target = std::move(target), source = std::move(source)](const HaloBoxes& all) {
    std::vector<cudaMemcpy3DParms> copies;
    for (const auto& box : all.boxes) {
      cudaMemcpy3DParms copy{};
      copy.srcPtr = pitched(source(box, all.element_bytes), box, all.element_bytes);
      copy.dstPtr = pitched(target(box, all.element_bytes), box, all.element_bytes);
      copy.extent = make_cudaExtent(static_cast<std::size_t>(box.extent.x * all.element_bytes),
                                    static_cast<std::size_t>(box.extent.y), static_cast<std::size_t>(box.extent.z));
      copy.kind = cudaMemcpyDefault;
      copies.push_back(copy);
    }
    return [copies](device::Stream& stream) {
      for (const auto& copy : copies) {
        check(cudaMemcpy3DAsync(&copy, static_cast<cudaStream_t>(stream.native())), "cudaMemcpy3DAsync");
      }
    };
  };
  return method;
}

Side packed(std::byte* buffer) {
  return [buffer](const HaloBox& box, std::int64_t element_bytes) { return packed_cells(buffer, box, element_bytes); };
}

}  // namespace

std::vector<Method> memcpy3d_methods(const Place& place) {
  if (place.backend->kind() != halocline::DeviceKind::cuda) return {};
  const Side sent = [&place](const HaloBox& box, std::int64_t) {
    return sent_cells(place.sender, box.direction, place.radius);
  };
  const Side filled_here = [&place](const HaloBox& box, std::int64_t) {
    return filled_cells(place.sender, box.direction, place.radius);
  };
  const int here = place.sender_device;
  std::vector<Method> methods;
  methods.push_back(memcpy3d("pack", here, packed(place.sender_buffer), sent));
  methods.push_back(memcpy3d("unpack", here, filled_here, packed(place.sender_buffer)));
  methods.push_back(memcpy3d("to pinned memory", here, packed(place.pinned), sent));
  if (!place.two_devices()) return methods;
  const Side filled_there = [&place](const HaloBox& box, std::int64_t) {
    return filled_cells(place.receiver, box.direction, place.radius);
  };
  methods.push_back(memcpy3d("to peer's halo", here, filled_there, sent));
  return methods;
}

}  // namespace halocline::bench
