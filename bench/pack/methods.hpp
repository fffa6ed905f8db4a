// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "pack/boxes.hpp"

namespace halocline::bench {

/// Where halos come from and go to: a domain of one subdomain, or two side by side on two devices of this process.
struct Place {
  device::Backend* backend = nullptr;
  std::int64_t radius = 3;
  View<std::byte> sender;
  View<std::byte> receiver;  ///< the sender again where there is one
  int sender_device = 0;
  int receiver_device = 0;
  std::byte* sender_buffer = nullptr;
  std::byte* sender_second_buffer = nullptr;
  std::byte* receiver_buffer = nullptr;
  std::byte* pinned = nullptr;
  [[nodiscard]] bool two_devices() const { return sender_device != receiver_device; }
};

/// One way to move the boxes.
struct Method {
  std::string name;
  int device = 0;                ///< whose stream does the work
  bool every_direction = false;  ///< measured for all 26, not only for one of each shape
  bool all_at_once = false;      ///< also measured with the boxes of all 26 directions as one operation
  bool in_a_graph = true;        ///< timed as a graph of several, or enqueued one by one
  /// Prepares the boxes' copies; what it returns enqueues them, and must outlive the work.
  std::function<std::function<void(device::Stream&)>(const HaloBoxes&)> prepare;
};

/// By the library's own copies.
[[nodiscard]] std::vector<Method> library_methods(const Place& place);
/// By cudaMemcpy3DAsync, without packing; none without CUDA or on the host backend.
[[nodiscard]] std::vector<Method> memcpy3d_methods(const Place& place);

}  // namespace halocline::bench
