// What the kernels of the CUDA backend are told to copy, carried out on the host.
#include "device/cuda/copy_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "support/effort.hpp"
#include "unit/device/strided_case.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::cuda {
namespace {

using test::StridedCopyCase;

/// Exactly one copy of each unit, as blocks of threads do it.
void carry_out(const std::vector<CopyTask>& tasks, const std::vector<CopyTile>& tiles) {
  for (const CopyTile& tile : tiles) {
    const CopyTask& task = tasks.at(tile.task);
    for (std::uint32_t unit = tile.first; unit < std::min(task.units, tile.first + tile_units); ++unit) {
      const UnitPlace place = place_of(task, unit);
      std::memcpy(task.target + place.target, task.source + place.source, task.unit_bytes);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(task.target + place.target) % task.unit_bytes, 0u);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(task.source + place.source) % task.word_bytes, 0u);
      ASSERT_TRUE(task.word_bytes == task.unit_bytes || (task.word_bytes >= 4 && task.word_bytes < task.unit_bytes));
    }
  }
}

std::int64_t bytes_of(const std::vector<CopyTask>& tasks) {
  std::int64_t bytes = 0;
  for (const CopyTask& task : tasks) bytes += std::int64_t{task.units} * task.unit_bytes;
  return bytes;
}

TEST(CopyPlan, EqualsTheReferenceForRandomLayouts) {
  std::mt19937 random(20251121);
  std::array<int, 17> with_units{};
  for (int i = 0; i < halocline::test::some_of(4000); ++i) {
    const std::int64_t element = test::element_sizes[random() % test::element_sizes.size()];
    StridedCopyCase one(random, test::random_extent(random), element);
    const std::vector<CopyTask> tasks = plan_tasks({&one.copy, 1});
    carry_out(tasks, plan_tiles(tasks));
    ASSERT_EQ(one.actual, one.expected) << "case " << i << ": " << to_string(one.copy.extent) << " of " << element;
    ASSERT_EQ(bytes_of(tasks), one.copy.bytes());
    ++with_units.at(tasks[0].unit_bytes);
  }
  for (const std::size_t unit : {1u, 2u, 4u, 8u, 16u}) EXPECT_GT(with_units[unit], 50) << "units of " << unit;
}

TEST(CopyPlan, UnalignedElementsAreCopiedInSmallerUnits) {
  std::mt19937 random(3);
  for (std::size_t shift = 0; shift < 16; ++shift) {
    std::vector<std::byte> source(4096);
    for (std::byte& b : source) b = static_cast<std::byte>(random() % 200);
    std::vector<std::byte> actual(4096, test::sentinel);
    std::vector<std::byte> expected = actual;
    StridedCopy copy{source.data() + shift, actual.data(), {16, 80, 480}, {16, 64, 256}, {4, 4, 4}, 16};
    const std::vector<CopyTask> tasks = plan_tasks({&copy, 1});
    carry_out(tasks, plan_tiles(tasks));
    copy.target = expected.data();
    test::reference(copy);
    ASSERT_EQ(actual, expected) << "shifted by " << shift;
    ASSERT_EQ(tasks.size(), 1u);
    EXPECT_EQ(shift % tasks[0].word_bytes, 0u);
    EXPECT_EQ(tasks[0].unit_bytes, shift % 4 == 0 ? 16 : tasks[0].word_bytes);
  }
}

TEST(CopyPlan, AListIsOneRowOfTiles) {
  std::mt19937 random(7);
  std::vector<StridedCopyCase> cases;
  std::vector<StridedCopy> copies;
  for (int i = 0; i < 200; ++i) cases.emplace_back(random, test::random_extent(random), 8);
  for (const StridedCopyCase& one : cases) copies.push_back(one.copy);
  copies.push_back({nullptr, nullptr, {}, {}, {4, 0, 4}, 8});  // nothing
  const std::vector<CopyTask> tasks = plan_tasks(copies);
  EXPECT_EQ(tasks.size(), cases.size());
  carry_out(tasks, plan_tiles(tasks));
  for (const StridedCopyCase& one : cases) ASSERT_EQ(one.actual, one.expected);
}

/// The shape of a 3-cell-wide face, packed: few bytes a row, many rows.
TEST(CopyPlan, PackedRowsOfThreeFloatsAreNumberedThroughOnBothSides) {
  std::vector<float> cells(64 * 20 * 20);
  std::vector<float> packed(3 * 20 * 20);
  const StridedCopy pack{reinterpret_cast<const std::byte*>(cells.data() + 32),
                         reinterpret_cast<std::byte*>(packed.data()),
                         {4, 4 * 64, 4 * 64 * 20},
                         {4, 12, 240},
                         {3, 20, 20},
                         4};
  const std::vector<CopyTask> tasks = plan_tasks({&pack, 1});
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].unit_bytes, 4u);
  EXPECT_EQ(tasks[0].row.divisor, 3u);
  for (std::uint32_t unit = 0; unit < tasks[0].units; ++unit) {
    ASSERT_EQ(place_of(tasks[0], unit).target, 4 * std::int64_t{unit});
  }
}

/// Where each unit of a copy lies, without touching it: arrays of many GB.
std::vector<std::pair<std::uintptr_t, std::uintptr_t>> places(const std::vector<CopyTask>& tasks) {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> all;
  for (const CopyTask& task : tasks) {
    for (std::uint32_t unit = 0; unit < task.units; ++unit) {
      const UnitPlace place = place_of(task, unit);
      all.emplace_back(reinterpret_cast<std::uintptr_t>(task.source + place.source),
                       reinterpret_cast<std::uintptr_t>(task.target + place.target));
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(CopyPlan, CopiesThatReachFarAreSeveralTasks) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  auto* source = reinterpret_cast<std::byte*>(256 * gib + 4);
  auto* target = reinterpret_cast<std::byte*>(512 * gib + 8);
  for (const std::int64_t plane : {gib / 8, gib - 64, 3 * gib, -3 * gib}) {
    for (const std::int64_t row : {std::int64_t{48}, gib / 2, 5 * gib / 2}) {
      const StridedCopy copy{source, target, {4, row, plane}, {4, 64, 960}, {3, 4, 7}, 4};
      std::vector<std::pair<std::uintptr_t, std::uintptr_t>> expected;
      for (std::int64_t k = 0; k < 7; ++k) {
        for (std::int64_t j = 0; j < 4; ++j) {
          for (std::int64_t i = 0; i < 3; ++i) {
            expected.emplace_back(reinterpret_cast<std::uintptr_t>(source + 4 * i + row * j + plane * k),
                                  reinterpret_cast<std::uintptr_t>(target + 4 * i + 64 * j + 960 * k));
          }
        }
      }
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(places(plan_tasks({&copy, 1})), expected) << "rows " << row << " apart, planes " << plane;
    }
  }
}

TEST(CopyPlan, PairsAreNearEachOther) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  auto* source = reinterpret_cast<std::byte*>(16 * gib);
  auto* target = reinterpret_cast<std::byte*>(512 * gib);
  for (const std::int64_t apart : {gib, 3 * gib}) {
    const StridedCopy ends[] = {{source, target, {4, 64, 640}, {4, 64, 640}, {3, 10, 10}, 4},
                                {source + apart, target + 128, {4, 64, 640}, {4, 64, 640}, {3, 10, 10}, 4}};
    const std::vector<CopyTask> tasks = plan_tasks(ends);
    const std::vector<CopyTask> paired = pair_tasks(tasks);
    EXPECT_EQ(paired.size(), apart == gib ? 1u : 2u);
    EXPECT_EQ(places(paired), places(tasks));
  }
}

TEST(CopyPlan, PairsAreTheSameCopies) {
  std::mt19937 random(11);
  int pairs = 0;
  for (int i = 0; i < 500; ++i) {
    // Several fields' ends of rows, next to copies of other shapes.
    const Vec3 shape = test::random_extent(random);
    std::vector<StridedCopyCase> cases;
    for (int k = 0; k < 6; ++k) {
      std::mt19937 same(static_cast<unsigned>(i));
      if (random() % 4 != 0) {
        cases.emplace_back(same, shape, 4);
      } else {
        cases.emplace_back(random, test::random_extent(random), 4);
      }
    }
    std::vector<StridedCopy> copies;
    for (const StridedCopyCase& one : cases) copies.push_back(one.copy);
    const std::vector<CopyTask> tasks = plan_tasks(copies);
    const std::vector<CopyTask> paired = pair_tasks(tasks);
    pairs += static_cast<int>(tasks.size() - paired.size());
    carry_out(paired, plan_tiles(paired));
    for (const StridedCopyCase& one : cases) ASSERT_EQ(one.actual, one.expected) << "round " << i;
    ASSERT_EQ(bytes_of(paired), bytes_of(tasks));
  }
  EXPECT_GT(pairs, 200);
}

/// Left and right halo of rows, which lie beside each other: one after the other in the order of units.
TEST(CopyPlan, TheTwoEndsOfARowAreCopiedSideBySide) {
  std::vector<float> cells(64 * 6 * 5);
  const auto end_of_rows = [&](std::int64_t source, std::int64_t target) {
    return StridedCopy{reinterpret_cast<const std::byte*>(cells.data() + 16 + source),
                       reinterpret_cast<std::byte*>(cells.data() + 16 + target),
                       {4, 4 * 64, 4 * 64 * 6},
                       {4, 4 * 64, 4 * 64 * 6},
                       {4, 6, 5},
                       4};
  };
  const std::vector<StridedCopy> both{end_of_rows(28, -4), end_of_rows(0, 32)};
  const std::vector<CopyTask> tasks = pair_tasks(plan_tasks(both));
  ASSERT_EQ(tasks.size(), 1u);
  const CopyTask& task = tasks[0];
  ASSERT_EQ(task.units * task.unit_bytes, 2u * 4 * 4 * 30);
  const std::uint32_t in_row = 16 / task.unit_bytes;
  EXPECT_EQ(place_of(task, in_row).target - place_of(task, 0).target, 4 * 36);
  EXPECT_EQ(place_of(task, 2 * in_row).target - place_of(task, 0).target, 4 * 64);
}

/// Copies are cut before the numbers of their units leave 31 bits. Nothing is read or written here.
TEST(CopyPlan, LargeCopiesBecomeSeveralTasks) {
  const auto at = [](std::uintptr_t address) {
    return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): never followed
  };
  const std::int64_t row = (std::int64_t{1} << 32) + 4;
  const StridedCopy contiguous{
      at(4), at(std::uintptr_t{1} << 40), {4, row, 3 * row}, {4, row, 3 * row}, {row / 4, 3, 2}, 4};
  const StridedCopy strided{
      at(4), at(std::uintptr_t{1} << 40), {8, 1 << 15, 1 << 27}, {4, 1 << 14, 1 << 26}, {4096, 4096, 100}, 4};
  for (const StridedCopy& copy : {contiguous, strided}) {
    const std::vector<CopyTask> tasks = plan_tasks({&copy, 1});
    EXPECT_GT(tasks.size(), 1u);
    EXPECT_EQ(bytes_of(tasks), copy.bytes());
    std::byte* next = copy.target;  // both are packed on this side
    for (const CopyTask& task : tasks) {
      ASSERT_LE(task.units, most_units);
      EXPECT_EQ(task.target, next);
      const UnitPlace last = place_of(task, task.units - 1);
      next = task.target + last.target + task.unit_bytes;
    }
    EXPECT_EQ(next, copy.target + copy.bytes());
  }
}

TEST(CopyPlan, DividersDivide) {
  std::mt19937 random(11);
  const auto next = [&] { return static_cast<std::uint32_t>(random()); };
  constexpr std::uint32_t end = std::uint32_t{1} << 31;
  const auto check = [](std::uint32_t n, std::uint32_t d) {
    ASSERT_EQ(Divider(d).divide(n), n / d) << n << " / " << d;
  };
  for (const std::uint32_t d : {1u, 2u, 3u, 5u, 7u, 641u, 1024u, 65535u, 65537u, end / 2 - 1, end / 2, end - 1}) {
    for (const std::uint32_t n : {0u, 1u, d - 1, d, d + 1, end / 2, end - 2, end - 1}) {
      if (n < end) check(n, d);
    }
  }
  for (int i = 0; i < halocline::test::some_of(200000); ++i) {
    const std::uint32_t d = 1 + (next() % (end - 1) >> (next() % 31));
    check(next() % end, d);
    const std::uint32_t multiple = next() % end / d * d;
    check(multiple, d);
    if (multiple > 0) check(multiple - 1, d);
  }
}

}  // namespace
}  // namespace halocline::device::cuda
