// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/reduction_plan.hpp"

#include <algorithm>

#include "core/checked.hpp"

namespace halocline::device::cuda {
namespace {

bool aligned(const ReductionTask& task, std::int64_t element_bytes) {
  const auto whole = [](std::int64_t bytes) { return bytes % reduction_unit_bytes == 0; };
  return task.stride[0] == element_bytes && whole(task.stride[1]) && whole(task.stride[2]) &&
         reinterpret_cast<std::uintptr_t>(task.first) % reduction_unit_bytes == 0;
}

}  // namespace

ReductionPlan plan_reductions(std::span<const StridedReduction> reductions) {
  ReductionPlan plan;
  const auto count = [](std::int64_t n) { return checked_cast<std::uint32_t>(n, "the parts of a reduction"); };
  for (const StridedReduction& one : reductions) {
    check(one);
    // Dividers take numbers below 2^31, and a plane of that many elements fits into no GPU.
    const std::int64_t plane = checked_cast<std::int32_t>(one.extent.x * one.extent.y, "a plane of a reduction");
    ReductionOutput output{.target = one.target, .what = one.what, .element = one.element};
    output.first_task = count(std::ssize(plan.tasks));
    const std::int64_t most = reduction_unit_bytes / bytes_of(one.element);
    const std::int64_t row_units = (one.extent.x + most - 1) / most;
    const std::int64_t units = row_units * one.extent.y * one.extent.z * std::ssize(one.boxes);
    constexpr std::int64_t all_threads = std::int64_t{block_threads} * most_reduction_blocks;
    // What one block can load at once is not worth the meeting of several.
    const std::int64_t threads =
        units <= std::int64_t{block_threads} * most_reduction_loads ? block_threads : all_threads;
    output.loads =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>((units + threads - 1) / threads, 1, most_reduction_loads));
    const std::uint32_t units_a_tile = block_threads * output.loads;
    std::uint32_t tiles = 0;
    const std::int64_t planes = plane == 0 ? 0 : std::max<std::int64_t>((std::int64_t{1} << 30) / plane, 1);
    for (const std::byte* box : one.boxes) {
      for (std::int64_t z = 0; planes > 0 && z < one.extent.z; z += planes) {
        ReductionTask task;
        task.first = box + z * one.stride[2];
        task.stride = one.stride;
        task.row = Divider(count(row_units));
        task.column = Divider(count(one.extent.y));
        task.row_elements = count(one.extent.x);
        task.units = count(row_units * one.extent.y * std::min(planes, one.extent.z - z));
        task.tiles = (task.units + units_a_tile - 1) / units_a_tile;
        task.aligned = aligned(task, bytes_of(one.element));
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
