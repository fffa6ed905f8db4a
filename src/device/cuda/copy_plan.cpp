// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/copy_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>
#include <utility>

#include "device/host/strided_copy.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

using host::RowCopy;

/// Bytes of one store and of one load of a copy; of a conversion, of all that is stored and loaded at a time.
struct Access {
  std::uint32_t unit = 1;
  std::uint32_t word = 1;
};

/// What all addresses of a copy's source, and of its target, are multiples of; row_bytes is one of them.
struct Alignment {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
};

Alignment alignment_of(const RowCopy& rows) {
  Alignment bits{reinterpret_cast<std::uintptr_t>(rows.source), reinterpret_cast<std::uintptr_t>(rows.target)};
  for (const RowCopy::Loop& loop : rows.loops) {
    if (loop.count == 1) continue;
    bits.source |= static_cast<std::uint64_t>(loop.source_stride);
    bits.target |= static_cast<std::uint64_t>(loop.target_stride);
  }
  return bits;
}

/// As many numbers as are widest_conversion bytes of cells, if the addresses allow it, or one.
Access conversion_access(const RowCopy& rows) {
  const auto cells = static_cast<std::uint32_t>(bytes_of(rows.conversion.cells));
  const auto narrow = static_cast<std::uint32_t>(bytes_of(rows.conversion.narrow));
  const Conversion::Way way = rows.conversion.way;
  const Access one{way == Conversion::Way::pack ? narrow : cells, way == Conversion::Way::unpack ? narrow : cells};
  const std::uint32_t numbers = widest_conversion / cells;
  const Access several{one.unit * numbers, one.word * numbers};
  const Alignment bits = alignment_of(rows);
  const auto fits = [&](const Access& access) {
    return bits.source % access.word == 0 && bits.target % access.unit == 0 && rows.row_bytes % access.unit == 0;
  };
  if (fits(several)) return several;
  if (fits(one)) return one;
  throw InvalidArgument("a copy converts numbers of " + std::to_string(one.word) + " bytes to numbers of " +
                        std::to_string(one.unit) +
                        ", some of which are not at multiples of that; allowed are aligned ones");
}

/// The widest accesses that the addresses of a copy allow. Stores are as wide as the target allows, even if the source
/// allows less and a unit is loaded in several words: storing parts of a sector takes several times as long.
Access widest_access(const RowCopy& rows) {
  if (rows.conversion.any()) return conversion_access(rows);
  const Alignment bits = alignment_of(rows);
  const std::uint64_t target = bits.target | static_cast<std::uint64_t>(rows.row_bytes) | 16;
  const std::uint32_t unit = std::uint32_t{1} << std::countr_zero(target);
  const std::uint32_t word = std::min(unit, std::uint32_t{1} << std::countr_zero(bits.source | 16));
  return word >= 4 ? Access{unit, word} : Access{word, word};
}

std::int64_t units_of(const RowCopy& rows, std::int64_t unit) {
  return rows.row_bytes / unit * rows.loops[0].count * rows.loops[1].count * rows.loops[2].count;
}

/// The largest distance of a byte of a copy from the first one, in the source or in the target, in bytes.
std::int64_t reach_of(const RowCopy& rows) {
  std::int64_t source = rows.row_source_bytes;
  std::int64_t target = rows.row_bytes;
  for (const RowCopy::Loop& loop : rows.loops) {
    source += (loop.count - 1) * std::abs(loop.source_stride);
    target += (loop.count - 1) * std::abs(loop.target_stride);
  }
  return std::max(source, target);
}

std::int64_t reach_of(const CopyTask& task) {
  std::int64_t source = task.source_unit_bytes();
  std::int64_t target = task.unit_bytes;
  for (std::size_t d = 0; d < task.count.size(); ++d) {
    source += (std::int64_t{task.count[d]} - 1) * std::abs(std::int64_t{task.source_stride[d]});
    target += (std::int64_t{task.count[d]} - 1) * std::abs(std::int64_t{task.target_stride[d]});
  }
  return std::max(source, target);
}

/// Adds the tasks of a copy. A copy with too many units, or with units too far apart, is cut in half, in its outermost
/// loop, or in the row if it has no loop.
void add_tasks(const RowCopy& rows, const Access& access, std::vector<CopyTask>& tasks) {
  const std::uint32_t unit = access.unit;
  if (units_of(rows, unit) > most_units || reach_of(rows) > farthest) {
    RowCopy low = rows;
    RowCopy high = rows;
    std::size_t d = rows.loops.size();
    while (d > 0 && rows.loops[d - 1].count == 1) --d;
    std::int64_t source = 0;
    std::int64_t target = 0;
    if (d > 0) {
      const RowCopy::Loop& loop = rows.loops[d - 1];
      const std::int64_t half = loop.count / 2;
      low.loops[d - 1].count = half;
      high.loops[d - 1].count = loop.count - half;
      source = half * loop.source_stride;
      target = half * loop.target_stride;
    } else {
      target = low.row_bytes = rows.row_bytes / unit / 2 * unit;
      source = low.row_source_bytes = rows.row_source_bytes / (rows.row_bytes / unit) * (low.row_bytes / unit);
      high.row_bytes = rows.row_bytes - low.row_bytes;
      high.row_source_bytes = rows.row_source_bytes - low.row_source_bytes;
    }
    high.source += source;
    high.target += target;
    add_tasks(low, access, tasks);
    add_tasks(high, access, tasks);
    return;
  }
  CopyTask task;
  task.source = rows.source;
  task.target = rows.target;
  task.unit_bytes = unit;
  task.word_bytes = access.word;
  task.conversion = rows.conversion;
  task.count[0] = static_cast<std::uint32_t>(rows.row_bytes / unit);
  task.source_stride[0] = static_cast<std::int32_t>(task.source_unit_bytes());
  task.target_stride[0] = static_cast<std::int32_t>(unit);
  for (std::size_t d = 0; d < rows.loops.size(); ++d) {
    const RowCopy::Loop& loop = rows.loops[d];
    if (loop.count == 1) continue;
    task.count[d + 1] = static_cast<std::uint32_t>(loop.count);
    task.source_stride[d + 1] = static_cast<std::int32_t>(loop.source_stride);
    task.target_stride[d + 1] = static_cast<std::int32_t>(loop.target_stride);
  }
  tasks.push_back(task);
}

std::vector<CopyTask> pair_tasks(std::vector<CopyTask> tasks, Pairs pairs) {
  const auto alike = [](const CopyTask& a, const CopyTask& b) {
    return a.unit_bytes == b.unit_bytes && a.word_bytes == b.word_bytes && a.conversion == b.conversion &&
           a.count == b.count && a.source_stride == b.source_stride && a.target_stride == b.target_stride;
  };
  const auto has_room = [](const CopyTask& task) { return task.count[3] == 1 && task.units() * 2 <= most_units; };
  const auto are_near = [](const CopyTask& a, const CopyTask& b) {
    return std::max(std::abs(b.source - a.source), std::abs(b.target - a.target)) + reach_of(a) <= farthest;
  };
  // Rows that are unpacked may have grown at either end, over the rows next to them in the source.
  const auto take_turns = [](const CopyTask& a, const CopyTask& b) {
    const std::int64_t row = std::int64_t{a.count[0]} * a.source_unit_bytes();
    return std::abs(b.source - a.source) < std::abs(a.source_stride[1]) + row &&
           std::abs(b.target - a.target) < std::abs(a.target_stride[1]);
  };
  if (pairs == Pairs::none) return tasks;
  std::vector<CopyTask> paired;
  while (!tasks.empty()) {
    CopyTask task = tasks.front();
    tasks.erase(tasks.begin());
    const auto other = std::find_if(tasks.begin(), tasks.end(), [&](const CopyTask& b) {
      return alike(task, b) && has_room(task) && are_near(task, b) && (pairs == Pairs::any || take_turns(task, b));
    });
    if (other != tasks.end()) {
      const auto source = static_cast<std::int32_t>(other->source - task.source);
      const auto target = static_cast<std::int32_t>(other->target - task.target);
      task.count = {task.count[0], 2, task.count[1], task.count[2]};
      task.source_stride = {task.source_stride[0], source, task.source_stride[1], task.source_stride[2]};
      task.target_stride = {task.target_stride[0], target, task.target_stride[1], task.target_stride[2]};
      tasks.erase(other);
    }
    paired.push_back(task);
  }
  return paired;
}

}  // namespace

std::vector<CopyTask> plan_tasks(std::span<const StridedCopy> copies, Pairs pairs) {
  std::vector<CopyTask> tasks;
  tasks.reserve(copies.size());
  for (const StridedCopy& copy : copies) {
    const RowCopy rows = host::plan_rows(copy);
    if (rows.row_bytes != 0) add_tasks(rows, widest_access(rows), tasks);
  }
  return pair_tasks(std::move(tasks), pairs);
}

}  // namespace halocline::device::cuda
