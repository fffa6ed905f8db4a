// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/sum_list.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "device/cuda/device_tables.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

SumTask task_of(const StridedSum& sum, std::size_t first_term) {
  const auto count = [](std::int64_t n) { return checked_cast<std::uint32_t>(n, "the cells of a sum"); };
  bool null = sum.target == nullptr;
  for (const StridedSum::Term& term : sum.terms) null = null || term.first == nullptr;
  if (null) throw InvalidArgument("the target or a term of a sum is null");
  // Dividers take numbers below 2^31.
  const std::uint32_t cells = count(sum.extent.volume());
  static_cast<void>(checked_cast<std::int32_t>(cells, "the cells of a sum"));
  return {.target = sum.target,
          .stride = sum.target_stride,
          .x = Divider(count(sum.extent.x)),
          .y = Divider(count(sum.extent.y)),
          .cells = cells,
          .first_term = count(static_cast<std::int64_t>(first_term)),
          .end_term = count(static_cast<std::int64_t>(first_term + sum.terms.size())),
          .element = sum.element};
}

}  // namespace

CudaSumList::CudaSumList(std::shared_ptr<Devices> devices, int device, std::span<const StridedSum> sums)
    : devices_(std::move(devices)), device_(device) {
  const Device& on = devices_->at(device);
  std::vector<SumTask> tasks;
  std::vector<SumTerm> terms;
  std::vector<SumTile> tiles;
  for (const StridedSum& sum : sums) {
    if (sum.extent.volume() == 0 || sum.terms.empty()) continue;
    const SumTask task = task_of(sum, terms.size());
    const auto number = checked_cast<std::uint32_t>(tasks.size(), "the number of sums");
    for (std::uint32_t cell = 0; cell < task.cells; cell += std::min(task.cells - cell, tile_units)) {
      tiles.push_back({number, cell});
    }
    for (const StridedSum::Term& term : sum.terms) terms.push_back({term.first, term.stride});
    tasks.push_back(task);
  }
  table_.tile_count = checked_cast<std::uint32_t>(tiles.size(), "the number of tiles of a list of sums");
  if (tiles.empty()) return;
  DeviceTables tables;
  const auto tasks_at = tables.add(tasks);
  const auto terms_at = tables.add(terms);
  const auto tiles_at = tables.add(tiles);
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  memory_ = tables.to_device(*devices_, device);
  table_.tasks = tasks_at.in(memory_);
  table_.terms = terms_at.in(memory_);
  table_.tiles = tiles_at.in(memory_);
}

CudaSumList::~CudaSumList() { devices_->free_tables(device_, memory_); }

}  // namespace halocline::device::cuda
