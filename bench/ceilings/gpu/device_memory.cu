// SPDX-License-Identifier: BSD-3-Clause
#include "ceilings/mpi_pairs.hpp"
#include "support/cuda.cuh"

namespace halocline::bench {
namespace {

std::shared_ptr<std::byte> device_memory(std::size_t bytes) {
  auto owned = std::make_shared<OwnedMemory>(make_memory(bytes));
  return {owned, static_cast<std::byte*>(owned->get())};
}

/// Rank r of a node on GPU r of it, modulo their number.
void measure_device_memory(comm::RankGroup& world, Ceilings& ceilings) {
  if (world.backend() != comm::CommBackend::mpi || world.size() < 2) return;
  const auto node = world.split_by_node({});
  const auto place = static_cast<int>(node->rank().value());
  node->close();
  const auto support = world.device_support();
  const bool here = gpu_count() > 0 && support.verdict == comm::DeviceSupport::Verdict::yes;
  if (world.all_reduce(std::int64_t{here}, comm::Reduction::min) == 0) {
    ceilings.left_out("mpi_device", here ? "another rank has no GPU, or an MPI without device memory" : support.why);
    return;
  }
  use_device(place % gpu_count());
  measure_pairs(world, ceilings, "mpi_device", "device", device_memory);
}

}  // namespace

std::vector<Part> device_mpi_parts() { return {{"mpi_device", measure_device_memory}}; }

}  // namespace halocline::bench
