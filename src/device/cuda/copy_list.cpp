// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/copy_list.hpp"

#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "device/cuda/device_tables.hpp"
#include "device/cuda/wait_entries.hpp"
#include "device/detail/flag_checks.hpp"

namespace halocline::device::cuda {

CudaCopyList::CudaCopyList(std::shared_ptr<Devices> devices, int device, std::span<const StridedCopy> copies,
                           const HeaderWrite& write, const HeaderCheck& check)
    : devices_(std::move(devices)), device_(device) {
  const Device& on = devices_->at(device);
  TileTable tiling;
  tiling.add(plan_tasks(copies, Pairs::of_rows_in_turns));
  for (const StridedCopy& copy : copies) bytes_ += copy.bytes();
  table_.tile_count = checked_cast<std::uint32_t>(tiling.tiles.size(), "the number of tiles of a list of copies");
  table_.converts = tiling.converts();
  const bool writes = write.advance || !write.headers.empty();
  const bool compares = !check.headers.empty();
  if (writes) check_epoch(write.epoch);
  if (compares) check_epoch(check.epoch);
  check_signals(write.headers);
  check_waits(check.headers);
  if (table_.tile_count == 0 && !writes && !compares) return;
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  const WaitEntries made(devices_->failures());
  std::vector<WaitEntry> entries;
  for (const FlagWait& header : check.headers) entries.push_back(made.of(header));
  DeviceTables tables;
  const auto shapes_at = tables.add(tiling.shapes);
  const auto tiles_at = tables.add(tiling.tiles);
  const auto signals_at = tables.add(write.headers);
  const auto entries_at = tables.add(entries);
  memory_ = tables.to_device(*devices_, device);
  table_.shapes = shapes_at.in(memory_);
  table_.tiles = tiles_at.in(memory_);
  if (writes) {
    const auto count = static_cast<std::uint32_t>(write.headers.size());
    table_.written = {write.epoch, signals_at.in(memory_), count, write.advance};
  }
  if (compares) {
    const auto count = static_cast<std::uint32_t>(entries.size());
    table_.compared = {check.epoch, entries_at.in(memory_), count, check.done};
  }
}

}  // namespace halocline::device::cuda
