// SPDX-License-Identifier: BSD-3-Clause
// The copy tasks for the kernels of the CUDA backend, carried out on the host.
#include "device/cuda/copy_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "device/cuda/divider.hpp"
#include "device/cuda/tiling.hpp"
#include "support/effort.hpp"
#include "unit/device/carried_out.hpp"
#include "unit/device/strided_case.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::cuda {
namespace {

using test::StridedCopyCase;

TEST(CopyPlan, EqualsTheReferenceForRandomLayouts) {
  std::mt19937 random(20251121);
  std::array<int, 17> with_units{};
  for (int i = 0; i < halocline::test::some_of(4000); ++i) {
    const std::int64_t element = test::element_sizes[random() % test::element_sizes.size()];
    StridedCopyCase one(random, test::random_extent(random), element);
    const std::vector<CopyTask> tasks = plan_tasks({&one.copy, 1});
    carry_out(tasks);
    ASSERT_EQ(one.actual, one.expected) << "case " << i << ": " << to_string(one.copy.extent) << " of " << element;
    ASSERT_EQ(bytes_of(tasks), one.copy.bytes());
    ++with_units.at(tasks[0].unit_bytes);
  }
  for (const std::size_t unit : {1u, 2u, 4u, 8u, 16u}) EXPECT_GT(with_units[unit], 50) << "units of " << unit;
}

TEST(CopyPlan, ConversionsEqualTheReferenceForRandomLayouts) {
  std::mt19937 random(20261124);
  int several = 0;
  for (int i = 0; i < halocline::test::some_of(2000); ++i) {
    const auto& all = test::conversions();
    const Conversion& conversion = all[static_cast<std::size_t>(i) % all.size()];
    ASSERT_EQ(Conversion::of_code(conversion.code()), conversion);
    const std::int64_t numbers = conversion.cells == Element::f64 && random() % 4 == 0 ? 2 : 1;
    StridedCopyCase one(random, test::random_extent(random), numbers * halocline::bytes_of(conversion.cells),
                        conversion);
    const std::vector<CopyTask> tasks = plan_tasks({&one.copy, 1});
    carry_out(tasks);
    ASSERT_EQ(one.actual, one.expected) << "case " << i << ": " << to_string(one.copy.extent);
    ASSERT_EQ(bytes_of(tasks), one.copy.extent.volume() * one.copy.target_bytes());
    several += std::max(tasks[0].unit_bytes, tasks[0].word_bytes) == widest_conversion ? 1 : 0;
  }
  EXPECT_GT(several, halocline::test::some_of(200));
}

TEST(CopyPlan, ConversionsOfDifferentFormatsAreNotPaired) {
  std::vector<double> cells(64);
  std::vector<std::uint16_t> packed(64);
  const auto pack = [&](Element narrow, std::size_t first) {
    return StridedCopy{reinterpret_cast<const std::byte*>(&cells[first]),
                       reinterpret_cast<std::byte*>(&packed[first]),
                       {8, 64, 64},
                       {2, 16, 16},
                       {4, 1, 1},
                       8,
                       {Conversion::Way::pack, Element::f64, narrow}};
  };
  const StridedCopy both[] = {pack(Element::bf16, 0), pack(Element::f16, 8)};
  EXPECT_EQ(plan_tasks(both, Pairs::any).size(), 2u);
  const StridedCopy alike[] = {pack(Element::bf16, 0), pack(Element::bf16, 8)};
  EXPECT_EQ(plan_tasks(alike, Pairs::any).size(), 1u);
  StridedCopy odd = pack(Element::f16, 0);
  odd.target += 1;
  EXPECT_EQ(
      test::thrown([&] {
        (void)plan_tasks({&odd, 1});
      }),
      "invalid argument: a copy converts numbers of 8 bytes to numbers of 2, some of which are not at multiples of "
      "that; allowed are aligned ones");
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
    carry_out(tasks);
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
  carry_out(tasks);
  for (const StridedCopyCase& one : cases) ASSERT_EQ(one.actual, one.expected);
}

/// A packed face, 3 cells wide: few bytes a row, many rows.
TEST(CopyPlan, PackedRowsOfThreeFloatsAreUnitsOfOne) {
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
  EXPECT_EQ(tasks[0].count[0], 3u);
  EXPECT_EQ(tasks[0].units(), 1200);
}

/// Computes where each unit of a copy is, without accessing it: arrays of many GB.
std::vector<std::pair<std::uintptr_t, std::uintptr_t>> places(const std::vector<CopyTask>& tasks) {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> all;
  for_each_unit(tasks, [&](const TileShape&, const std::byte* source, const std::byte* target) {
    all.emplace_back(reinterpret_cast<std::uintptr_t>(source), reinterpret_cast<std::uintptr_t>(target));
  });
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
    const std::vector<CopyTask> paired = plan_tasks(ends, Pairs::any);
    EXPECT_EQ(paired.size(), apart == gib ? 1u : 2u);
    EXPECT_EQ(places(paired), places(tasks));
  }
}

TEST(CopyPlan, PairsAreTheSameCopies) {
  std::mt19937 random(11);
  int pairs = 0;
  for (int i = 0; i < 500; ++i) {
    // The ends of rows of several fields, together with copies of other shapes.
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
    const std::vector<CopyTask> paired = plan_tasks(copies, Pairs::any);
    pairs += static_cast<int>(tasks.size() - paired.size());
    carry_out(paired);
    for (const StridedCopyCase& one : cases) ASSERT_EQ(one.actual, one.expected) << "round " << i;
    ASSERT_EQ(bytes_of(paired), bytes_of(tasks));
  }
  EXPECT_GT(pairs, 200);
}

/// The left halo of a row and the right halo of the row before are adjacent in memory: consecutive lanes copy them.
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
  const std::vector<CopyTask> tasks = plan_tasks(both, Pairs::any);
  ASSERT_EQ(tasks.size(), 1u);
  ASSERT_EQ(tasks[0].units() * tasks[0].unit_bytes, 2 * 4 * 4 * 30);
  const TileShape shape = tiling_of(tasks[0]).shape;
  const std::uint32_t in_row = 16 / tasks[0].unit_bytes;
  EXPECT_EQ(lane_of(shape, in_row).target - lane_of(shape, 0).target, 4 * 36);
  EXPECT_EQ(lane_of(shape, 2 * in_row).target - lane_of(shape, 0).target, 4 * 64);
}

/// Rows of two packs or unpacks that take turns in a buffer are copied side by side; other tasks of a shape are not paired with them, as
/// lanes that store to two places in turn would store parts of sectors.
TEST(CopyPlan, RowsThatTakeTurnsInABufferArePaired) {
  std::vector<float> cells(64 * 7 * 5);
  std::vector<float> buffer(2 * 3 * 6 * 5);
  const auto pack = [&](std::int64_t cell, std::int64_t at, std::int64_t row) {
    return StridedCopy{reinterpret_cast<const std::byte*>(cells.data() + cell),
                       reinterpret_cast<std::byte*>(buffer.data() + at),
                       {4, 4 * 64, 4 * 64 * 7},
                       {4, 4 * row, 4 * row * 6},
                       {3, 6, 5},
                       4};
  };
  const auto unpack = [](const StridedCopy& packed) {
    StridedCopy copy = packed;
    copy.source = packed.target;
    copy.target = const_cast<std::byte*>(packed.source);
    std::swap(copy.source_stride, copy.target_stride);
    return copy;
  };
  const std::vector<StridedCopy> in_turns{pack(0, 0, 6), pack(61, 3, 6)};
  const std::vector<StridedCopy> apart{pack(0, 0, 3), pack(61, 3 * 6 * 5, 3)};
  for (const bool packs : {true, false}) {
    const auto tasks_of = [&](std::vector<StridedCopy> copies, Pairs pairs) {
      if (!packs) std::ranges::transform(copies, copies.begin(), unpack);
      return plan_tasks(copies, pairs);
    };
    const std::vector<CopyTask> paired = tasks_of(in_turns, Pairs::of_rows_in_turns);
    ASSERT_EQ(paired.size(), 1u);
    EXPECT_EQ(paired[0].count, (std::array<std::uint32_t, 4>{3, 2, 6, 5}));
    EXPECT_EQ(tasks_of(apart, Pairs::of_rows_in_turns).size(), 2u);
    EXPECT_EQ(tasks_of(apart, Pairs::any).size(), 1u);
  }
  // Rows of one cell, which are unpacked with three more: below the one end, and above the other.
  const auto grown = [&](std::int64_t at, std::int64_t cell) {
    StridedCopy copy = unpack(pack(cell, at, 2));
    copy.extent = {4, 6, 4};
    return copy;
  };
  const std::vector<StridedCopy> overlapping{grown(8 - 3, 64 - 4), grown(8 + 1, 64 + 48)};
  EXPECT_EQ(plan_tasks(overlapping, Pairs::of_rows_in_turns).size(), 1u);
}

/// Copies are split before the unit numbers exceed 31 bits. No memory is accessed.
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
    std::byte* next = copy.target;  // packed on this side
    for (const CopyTask& task : tasks) {
      ASSERT_LE(task.units(), most_units);
      EXPECT_EQ(task.target, next);
      next = task.target + task.units() * task.unit_bytes;
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
  for (std::uint32_t d = 1; d <= block_threads; ++d) {
    for (std::uint32_t n = 0; n < block_threads; ++n) ASSERT_EQ(SmallDivider(d).divide(n), n / d) << n << " / " << d;
  }
}

}  // namespace
}  // namespace halocline::device::cuda
