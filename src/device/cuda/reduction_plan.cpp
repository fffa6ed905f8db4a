// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/reduction_plan.hpp"

#include <algorithm>

#include "core/checked.hpp"

namespace halocline::device::cuda {

ReductionPlan plan_reductions(std::span<const StridedReduction> reductions) {
  ReductionPlan plan;
  const auto count = [](std::int64_t n) { return checked_cast<std::uint32_t>(n, "the parts of a reduction"); };
  for (const StridedReduction& one : reductions) {
    check(one);
    // Dividers take numbers below 2^31, and a plane of that many elements fits into no GPU.
    const std::int64_t plane = checked_cast<std::int32_t>(one.extent.x * one.extent.y, "a plane of a reduction");
    ReductionOutput output{.target = one.target, .what = one.what, .element = one.element};
    output.first_task = count(std::ssize(plan.tasks));
    std::uint32_t tiles = 0;
    const std::int64_t planes = plane == 0 ? 0 : std::max<std::int64_t>((std::int64_t{1} << 30) / plane, 1);
    for (const std::byte* box : one.boxes) {
      for (std::int64_t z = 0; planes > 0 && z < one.extent.z; z += planes) {
        ReductionTask task;
        task.first = box + z * one.stride[2];
        task.stride = one.stride;
        task.x = Divider(count(one.extent.x));
        task.y = Divider(count(one.extent.y));
        task.cells = count(plane * std::min(planes, one.extent.z - z));
        task.tiles = (task.cells + reduction_tile - 1) / reduction_tile;
        task.first_tile = tiles;
        tiles += task.tiles;
        plan.tasks.push_back(task);
      }
    }
    output.end_task = count(std::ssize(plan.tasks));
    output.blocks = std::clamp(tiles, 1U, most_reduction_blocks);
    output.first_partial = plan.partials;
    plan.partials += output.blocks;
    plan.blocks = std::max(plan.blocks, output.blocks);
    plan.outputs.push_back(output);
  }
  return plan;
}

}  // namespace halocline::device::cuda
