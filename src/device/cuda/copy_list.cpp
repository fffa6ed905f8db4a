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
                           const HeaderCheck& check)
    : devices_(std::move(devices)), device_(device) {
  const Device& on = devices_->at(device);
  TileTable table;
  table.add(plan_tasks(copies));
  for (const StridedCopy& copy : copies) bytes_ += copy.bytes();
  tile_count_ = checked_cast<std::uint32_t>(table.tiles.size(), "the number of tiles of a list of copies");
  converts_ = table.converts();
  if (table.tiles.empty()) return;
  DeviceTables tables;
  const auto shapes_at = tables.add(table.shapes);
  const auto tiles_at = tables.add(table.tiles);
  const CurrentDevice current(on.context());
  const CaptureAside aside;
  std::vector<WaitEntry> entries;
  if (!check.headers.empty()) {
    check_epoch(check.epoch);
    check_waits(check.headers);
    const WaitEntries made(devices_->failures());
    for (const FlagWait& header : check.headers) entries.push_back(made.of(header));
  }
  const auto entries_at = tables.add(entries);
  memory_ = tables.to_device(*devices_, device);
  shapes_ = shapes_at.in(memory_);
  tiles_ = tiles_at.in(memory_);
  headers_ = {check.epoch, entries_at.in(memory_), static_cast<std::uint32_t>(entries.size()), check.done};
}

CudaCopyList::~CudaCopyList() { devices_->free_tables(device_, memory_); }

}  // namespace halocline::device::cuda
