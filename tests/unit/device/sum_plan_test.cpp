// SPDX-License-Identifier: BSD-3-Clause
// The sum tasks for the kernels of the CUDA backend, carried out on the host.
#include "device/cuda/sum_plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "support/effort.hpp"
#include "unit/device/sum_case.hpp"

namespace halocline::device::cuda {
namespace {

using test::SumCase;

/// The plan of sums of one element type.
SumPlan plan_of(const std::vector<StridedSum>& sums) {
  std::vector<SumPlan> plans = plan_sums(sums);
  EXPECT_EQ(plans.size(), 1u);
  return plans.at(0);
}

/// Adds as the threads of blocks do, element by element.
void carry_out(const SumPlan& plan) {
  for (const SumTile& tile : plan.tiles) {
    const SumTask& task = plan.tasks.at(tile.task);
    const auto bytes = static_cast<std::uint32_t>(bytes_of(plan.element));
    const std::uint32_t elements = task.wide ? wide_unit(bytes) : 1;
    for (std::uint32_t thread = 0; thread < units_of_tile(elements * bytes); ++thread) {
      const SumUnit unit = unit_of(task, tile.first_unit + thread, elements);
      std::byte* target = task.target + unit.offset(task.stride);
      if (task.wide) {
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(target) % (elements * bytes), 0u);
      }
      for (std::uint32_t term = tile.first_term; term < tile.end_term; ++term) {
        const std::byte* from = plan.terms.at(term).first + unit.offset(plan.terms[term].stride);
        if (plan.terms[term].wide) {
          ASSERT_EQ(reinterpret_cast<std::uintptr_t>(from) % (elements * bytes), 0u);
        }
        for (std::uint32_t i = unit.first; i < unit.end; ++i) {
          test::with_summand(plan.element, [&](auto sum) {
            auto more = sum;
            std::memcpy(&sum, target + i * bytes, sizeof sum);
            std::memcpy(&more, from + i * bytes, sizeof more);
            sum = test::plus(sum, more);
            std::memcpy(target + i * bytes, &sum, sizeof sum);
          });
        }
      }
    }
  }
}

TEST(SumPlan, EqualsTheDefinitionForAllElementsAndRandomLayouts) {
  std::mt19937 random(20261124);
  for (int i = 0; i < halocline::test::some_of(200); ++i) {
    for (const Element element : test::all_elements) {
      SumCase one(random, element);
      std::vector<std::byte*> terms;
      for (auto& summand : one.summands) terms.push_back(summand.data());
      const StridedSum sum = one.in(one.actual.data(), terms);
      for (const SumPlan& plan : plan_sums({&sum, 1})) carry_out(plan);
      ASSERT_EQ(one.actual, one.expected) << "case " << i << ", " << halocline::to_string(element);
    }
  }
}

/// Arrays with rows of `row` elements, aligned as GPU memory is.
struct Rows {
  static constexpr std::int64_t y = 3, z = 2, pitch = 1024;
  Element element;
  std::int64_t row;
  alignas(256) std::array<std::byte, static_cast<std::size_t>(y* z* pitch)> target, expected, one, other;

  Rows(std::mt19937& random, Element element_in, std::int64_t row_in) : element(element_in), row(row_in) {
    for (auto* memory : {&target, &one, &other}) {
      test::with_summand(element, [&](auto sample) {
        for (std::size_t at = 0; at < memory->size(); at += sizeof sample) {
          sample = test::random_summand<decltype(sample)>(random);
          std::memcpy(memory->data() + at, &sample, sizeof sample);
        }
      });
    }
    expected = target;
  }
  /// The sum over rows that begin at element `at` of the target's rows; terms begin `apart` elements later.
  [[nodiscard]] StridedSum sum(std::byte* where, std::int64_t at, std::int64_t apart) const {
    const std::int64_t bytes = bytes_of(element);
    const std::array<std::int64_t, 3> stride{bytes, pitch, y * pitch};
    return {.target = where + at * bytes,
            .target_stride = stride,
            .extent = {row, y, z},
            .element = element,
            .terms = {{one.data() + at * bytes, stride}, {other.data() + (at + apart) * bytes, stride}}};
  }
};

TEST(SumPlan, HasWideUnitsForContiguousRowsAtEachPlace) {
  std::mt19937 random(20261125);
  for (const Element element : test::all_elements) {
    const auto bytes = static_cast<std::uint32_t>(bytes_of(element));
    const std::int64_t wide = wide_unit(bytes);
    for (std::int64_t row = 4 * wide; row < 5 * wide; ++row) {
      for (std::int64_t at = 0; at < wide; ++at) {
        for (std::int64_t apart = 0; apart < wide; ++apart) {
          Rows rows(random, element, row);
          const StridedSum sum = rows.sum(rows.target.data(), at, apart);
          const SumPlan plan = plan_of({sum});
          ASSERT_EQ(plan.tasks.size(), 1u);
          EXPECT_EQ(plan.tasks[0].wide, wide > 1);
          EXPECT_EQ(plan.terms[0].wide, wide > 1);
          EXPECT_EQ(plan.terms[1].wide, wide > 1 && apart == 0);
          EXPECT_EQ(plan.tasks[0].units, (at + row + wide - 1) / wide * Rows::y * Rows::z);
          carry_out(plan);
          test::reference(rows.sum(rows.expected.data(), at, apart));
          ASSERT_EQ(rows.target, rows.expected) << halocline::to_string(element) << ", rows of " << row << " from "
                                                << at << " on, terms " << apart << " apart";
        }
      }
    }
  }
}

TEST(SumPlan, AddsTheTwoEndsOfRowsTogether) {
  std::mt19937 random(20261126);
  Rows rows(random, Element::f32, 3);
  const std::int64_t far = 100;
  const std::vector<StridedSum> sums{rows.sum(rows.target.data(), 1, 1), rows.sum(rows.target.data(), far, 1),
                                     rows.sum(rows.target.data(), far + 50, 2)};
  const SumPlan plan = plan_of(sums);
  // The third sum has the same shape, but there is no other sum left to pair it with.
  ASSERT_EQ(plan.tasks.size(), 2u);
  EXPECT_EQ(plan.tasks[0].sums.divisor, 2u);
  EXPECT_EQ(plan.tasks[0].stride[1], (far - 1) * 4);
  EXPECT_EQ(plan.tasks[1].sums.divisor, 1u);
  carry_out(plan);
  for (const std::int64_t at : {std::int64_t{1}, far}) test::reference(rows.sum(rows.expected.data(), at, 1));
  test::reference(rows.sum(rows.expected.data(), far + 50, 2));
  EXPECT_EQ(rows.target, rows.expected);
}

TEST(SumPlan, DoesNotJoinSumsOfDifferentShapes) {
  std::mt19937 random(20261127);
  Rows rows(random, Element::f32, 3);
  const StridedSum sum = rows.sum(rows.target.data(), 0, 0);
  const auto tasks = [&](auto&& change) {
    StridedSum other = rows.sum(rows.target.data(), 100, 0);
    change(other);
    std::size_t count = 0;
    for (const SumPlan& plan : plan_sums(std::vector{sum, other})) count += plan.tasks.size();
    return count;
  };
  EXPECT_EQ(tasks([](StridedSum&) {}), 1u);
  EXPECT_EQ(tasks([](StridedSum& other) { other.extent.y = 2; }), 2u);
  EXPECT_EQ(tasks([](StridedSum& other) { other.element = Element::i32; }), 2u);
  EXPECT_EQ(tasks([](StridedSum& other) { other.target_stride[1] += 4; }), 2u);
  EXPECT_EQ(tasks([](StridedSum& other) { other.terms[1].stride[2] += 4; }), 2u);
  EXPECT_EQ(tasks([](StridedSum& other) { other.terms.pop_back(); }), 2u);
}

TEST(SumPlan, DoesNotJoinSumsWhoseUnitsBeginElsewhere) {
  std::mt19937 random(20261128);
  const std::int64_t wide = wide_unit(4);
  Rows rows(random, Element::f32, 4 * wide);
  const auto tasks = [&](std::int64_t at) {
    return plan_of({rows.sum(rows.target.data(), 0, 0), rows.sum(rows.target.data(), at, 0)}).tasks.size();
  };
  EXPECT_EQ(tasks(8 * wide), 1u);
  EXPECT_EQ(tasks(8 * wide + 1), 2u);
}

}  // namespace
}  // namespace halocline::device::cuda
