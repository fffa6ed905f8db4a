#include "device/cuda/copy_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "device/host/strided_copy.hpp"

namespace halocline::device::cuda {
namespace {

using host::RowCopy;

/// How a copy is stored and loaded.
struct Access {
  std::uint32_t unit = 1;
  std::uint32_t word = 1;
};

/// The widest accesses that the addresses of a copy allow. Stores are as wide as targets allow, even where sources allow
/// less and a unit is loaded in several words: what is stored in parts of a sector takes several times as long.
Access widest_access(const RowCopy& rows) {
  std::uint64_t source = reinterpret_cast<std::uintptr_t>(rows.source) | 16;
  std::uint64_t target =
      reinterpret_cast<std::uintptr_t>(rows.target) | static_cast<std::uint64_t>(rows.row_bytes) | 16;
  for (const RowCopy::Loop& loop : rows.loops) {
    if (loop.count == 1) continue;
    source |= static_cast<std::uint64_t>(loop.source_stride);
    target |= static_cast<std::uint64_t>(loop.target_stride);
  }
  const std::uint32_t unit = std::uint32_t{1} << std::countr_zero(target);
  const std::uint32_t word = std::min(unit, std::uint32_t{1} << std::countr_zero(source));
  return word >= 4 ? Access{unit, word} : Access{word, word};
}

std::int64_t units_of(const RowCopy& rows, std::int64_t unit) {
  return rows.row_bytes / unit * rows.loops[0].count * rows.loops[1].count * rows.loops[2].count;
}

/// The most that a byte of a copy is away from the first, on either side.
std::int64_t reach_of(const RowCopy& rows) {
  std::int64_t source = rows.row_bytes;
  std::int64_t target = rows.row_bytes;
  for (const RowCopy::Loop& loop : rows.loops) {
    source += (loop.count - 1) * std::abs(loop.source_stride);
    target += (loop.count - 1) * std::abs(loop.target_stride);
  }
  return std::max(source, target);
}

std::int64_t reach_of(const CopyTask& task) {
  const std::int64_t inner = std::int64_t{task.row.divisor} * task.inner.divisor * task.middle.divisor;
  const std::array<std::int64_t, 3> counts{task.inner.divisor, task.middle.divisor, (task.units + inner - 1) / inner};
  std::int64_t source = std::int64_t{task.row.divisor} * task.unit_bytes;
  std::int64_t target = source;
  for (std::size_t d = 0; d < counts.size(); ++d) {
    source += (counts[d] - 1) * std::abs(std::int64_t{task.source_stride[d]});
    target += (counts[d] - 1) * std::abs(std::int64_t{task.target_stride[d]});
  }
  return std::max(source, target);
}

/// Copies with too many units, or with units too far away, become halves, cut in their outermost loop, or in the row where
/// there is none.
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
      source = target = low.row_bytes = rows.row_bytes / unit / 2 * unit;
      high.row_bytes = rows.row_bytes - low.row_bytes;
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
  for (std::size_t d = 0; d < rows.loops.size(); ++d) {
    if (rows.loops[d].count == 1) continue;
    task.source_stride[d] = static_cast<std::int32_t>(rows.loops[d].source_stride);
    task.target_stride[d] = static_cast<std::int32_t>(rows.loops[d].target_stride);
  }
  task.unit_bytes = unit;
  task.word_bytes = access.word;
  task.units = static_cast<std::uint32_t>(units_of(rows, unit));
  task.row = Divider(static_cast<std::uint32_t>(rows.row_bytes / unit));
  task.inner = Divider(static_cast<std::uint32_t>(rows.loops[0].count));
  task.middle = Divider(static_cast<std::uint32_t>(rows.loops[1].count));
  tasks.push_back(task);
}

}  // namespace

Divider::Divider(std::uint32_t by) : divisor(by) {
  shift = static_cast<std::uint32_t>(std::bit_width(by - 1));
  factor = static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift)) + by - 1) / by);
}

std::vector<CopyTask> plan_tasks(std::span<const StridedCopy> copies) {
  std::vector<CopyTask> tasks;
  tasks.reserve(copies.size());
  for (const StridedCopy& copy : copies) {
    const RowCopy rows = host::plan_rows(copy);
    if (rows.row_bytes != 0) add_tasks(rows, widest_access(rows), tasks);
  }
  return tasks;
}

std::vector<CopyTask> pair_tasks(std::vector<CopyTask> tasks) {
  const auto alike = [](const CopyTask& a, const CopyTask& b) {
    return a.units == b.units && a.unit_bytes == b.unit_bytes && a.word_bytes == b.word_bytes &&
           a.row.divisor == b.row.divisor && a.inner.divisor == b.inner.divisor &&
           a.middle.divisor == b.middle.divisor && a.source_stride == b.source_stride &&
           a.target_stride == b.target_stride;
  };
  // The outermost loop's length is what the others leave of the units.
  const auto has_room = [](const CopyTask& task) {
    const std::int64_t inner = std::int64_t{task.row.divisor} * task.inner.divisor * task.middle.divisor;
    return task.units == inner && std::int64_t{task.units} * 2 <= most_units;
  };
  const auto are_near = [](const CopyTask& a, const CopyTask& b) {
    return std::max(std::abs(b.source - a.source), std::abs(b.target - a.target)) + reach_of(a) <= farthest;
  };
  std::vector<CopyTask> paired;
  while (!tasks.empty()) {
    CopyTask task = tasks.front();
    tasks.erase(tasks.begin());
    const auto other = std::find_if(tasks.begin(), tasks.end(), [&](const CopyTask& b) {
      return alike(task, b) && has_room(task) && are_near(task, b);
    });
    if (other != tasks.end()) {
      const auto source = static_cast<std::int32_t>(other->source - task.source);
      const auto target = static_cast<std::int32_t>(other->target - task.target);
      task.source_stride = {source, task.source_stride[0], task.source_stride[1]};
      task.target_stride = {target, task.target_stride[0], task.target_stride[1]};
      task.middle = task.inner;
      task.inner = Divider(2);
      task.units *= 2;
      tasks.erase(other);
    }
    paired.push_back(task);
  }
  return paired;
}

std::vector<CopyTile> plan_tiles(std::span<const CopyTask> tasks) {
  std::vector<CopyTile> tiles;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    for (std::uint32_t first = 0; first < tasks[i].units; first += tile_units) tiles.push_back({i, first});
  }
  return tiles;
}

}  // namespace halocline::device::cuda
