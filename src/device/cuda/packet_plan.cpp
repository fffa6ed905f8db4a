// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/packet_plan.hpp"

#include <fmt/format.h>

#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

/// The task of a copy, whose first pair is at offset `at`, in bytes, of each packet buffer of the room.
PacketTask task_of(const StridedCopy& copy, std::byte* cells, const std::array<std::int64_t, 3>& stride,
                   const PacketRoom& room, std::int64_t at) {
  const std::int64_t row_words = copy.extent.x * copy.element_bytes / 4;
  const std::int64_t row_pairs = (row_words + words_of_pair - 1) / words_of_pair;
  const std::int64_t pairs = row_pairs * copy.extent.y * copy.extent.z;
  if (pairs > most_units) {
    throw InvalidArgument(fmt::format("{} pairs of packets in one copy; allowed are {}", pairs, most_units));
  }
  PacketTask task;
  task.cells = cells;
  task.buffers = {room.buffers[0] + at, room.buffers[1] + at};
  task.stride = {stride[1], stride[2]};
  task.pairs = static_cast<std::uint32_t>(pairs);
  task.words = static_cast<std::uint32_t>(row_words / row_pairs);
  task.with_more = static_cast<std::uint32_t>(row_words % row_pairs);
  task.row = Divider(static_cast<std::uint32_t>(row_pairs));
  task.inner = Divider(static_cast<std::uint32_t>(copy.extent.y));
  return task;
}

/// side(copy): the address and the strides of its cells.
template <typename Part, typename Side>
std::vector<PacketTask> plan(const Part& part, const Side& side) {
  std::vector<PacketTask> tasks;
  std::int64_t at = sizeof(Flag);
  for (const StridedCopy& copy : part.copies) {
    if (copy.extent.volume() == 0) continue;
    const auto& [cells, stride] = side(copy);
    tasks.push_back(task_of(copy, cells, stride, part.packets, at));
    at += packet_room_bytes(copy.extent.x * copy.element_bytes, copy.extent.y * copy.extent.z);
  }
  return tasks;
}

}  // namespace

std::vector<PacketTask> plan_packets(const OutgoingPart& part) {
  // Both ends use the same type of task; for an outgoing one, kernels only read the cells.
  return plan(
      part, [](const StridedCopy& copy) { return std::pair(const_cast<std::byte*>(copy.source), copy.source_stride); });
}

std::vector<PacketTask> plan_packets(const IncomingPart& part) {
  return plan(part, [](const StridedCopy& copy) { return std::pair(copy.target, copy.target_stride); });
}

std::vector<PacketTile> plan_packet_tiles(std::span<const PacketTask> tasks) {
  std::vector<PacketTile> tiles;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    for (std::uint32_t first = 0; first < tasks[i].pairs; first += tile_pairs) tiles.push_back({i, first});
  }
  return tiles;
}

}  // namespace halocline::device::cuda
