// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "ceilings/pairs.hpp"
#include "support/cuda.cuh"

namespace halocline::bench {

Allocate device_memory(comm::RankGroup& world) {
  const auto node = world.split_by_node({});
  const auto place = static_cast<int>(node->rank().value());
  node->close();
  if (world.all_reduce(std::int64_t{gpu_count() > 0}, comm::Reduction::min) == 0) return {};
  use_device(place % gpu_count());
  check(cudaFree(nullptr), "cudaFree");  // makes the context, without which UCX finds no path between GPUs
  return [](std::size_t bytes) -> std::shared_ptr<std::byte> {
    auto owned = std::make_shared<OwnedMemory>(make_memory(bytes));
    return {owned, static_cast<std::byte*>(owned->get())};
  };
}

}  // namespace halocline::bench
