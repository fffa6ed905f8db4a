// SPDX-License-Identifier: BSD-3-Clause
// Reductions on host devices, and by the tasks for the kernels of the CUDA backend, carried out on the host.
#include <gtest/gtest.h>

#include <limits>

#include "device/cuda/reduction_plan.hpp"
#include "device/host.hpp"
#include "support/effort.hpp"
#include "unit/device/reduction_case.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void reduce_on_host(std::span<const StridedReduction> reductions) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  const auto list = backend->prepare_reductions(0, reductions);
  stream->reduce(*list);
  stream->synchronize();
}

/// As the threads of blocks do.
void carry_out(std::span<const StridedReduction> reductions) {
  const cuda::ReductionPlan plan = cuda::plan_reductions(reductions);
  std::vector<double> partials(plan.partials);
  for (const cuda::ReductionOutput& output : plan.outputs) {
    ASSERT_LE(output.blocks, plan.blocks);
    ASSERT_LE(plan.blocks, cuda::most_reduction_blocks);
    double result = neutral(combining(output.what));
    const auto most = static_cast<std::uint32_t>(cuda::reduction_unit_bytes / bytes_of(output.element));
    for (std::uint32_t block = 0; block < output.blocks; ++block) {
      double& partial = partials.at(output.first_partial + block) = neutral(output.what);
      for (std::uint32_t at = output.first_task; at < output.end_task; ++at) {
        const cuda::ReductionTask& task = plan.tasks.at(at);
        for (auto tile = cuda::first_tile_of(task, output, block); tile < task.tiles; tile += output.blocks) {
          const std::uint32_t tile_units = cuda::block_threads * output.loads;
          ASSERT_LE(output.loads, cuda::most_reduction_loads);
          const std::uint32_t first = tile * tile_units;
          for (std::uint32_t unit = first; unit < std::min(first + tile_units, task.units); ++unit) {
            const auto [offset, elements] = cuda::place_of_unit(task, most, unit);
            if (task.aligned) {
              ASSERT_EQ(reinterpret_cast<std::uintptr_t>(task.first + offset) % cuda::reduction_unit_bytes, 0U);
            }
            for (std::uint32_t k = 0; k < elements; ++k) {
              const std::byte* from = task.first + offset + k * task.stride[0];
              const double value = output.element == Element::f32 ? double{*reinterpret_cast<const float*>(from)}
                                                                  : *reinterpret_cast<const double*>(from);
              partial = combined(output.what, partial, term_of(output.what, value));
            }
          }
        }
      }
      result = combined(combining(output.what), result, partial);
    }
    *output.target = result;
  }
}

class Reductions : public testing::TestWithParam<std::pair<const char*, void (*)(std::span<const StridedReduction>)>> {
 protected:
  static void reduce(std::span<const StridedReduction> reductions) { GetParam().second(reductions); }
  static void expect_exact(std::mt19937& random, Element element, const Vec3& extent) {
    const ReductionCase one(random, element, extent);
    std::vector<const std::byte*> memory;
    for (const auto& box : one.boxes) memory.push_back(box.data());
    std::array<double, 5> results{nan, nan, nan, nan, nan};
    reduce(one.in(memory, results.data()));
    ASSERT_EQ(results, one.expected) << to_string(extent) << ", " << halocline::to_string(element);
  }
};

/// All reductions of one row.
template <typename T>
std::vector<StridedReduction> all_of_row(const std::vector<T>& row, std::array<double, 5>& results) {
  constexpr std::int64_t bytes = sizeof(T);
  const std::int64_t cells = std::ssize(row);
  std::vector<StridedReduction> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    all.push_back({all_reductions[i],
                   &results[i],
                   {reinterpret_cast<const std::byte*>(row.data())},
                   {bytes, bytes * cells, bytes * cells},
                   {cells, 1, 1},
                   bytes == 4 ? Element::f32 : Element::f64});
  }
  return all;
}

TEST_P(Reductions, equal_the_definition_for_random_layouts) {
  std::mt19937 random(20261127);
  for (int i = 0; i < halocline::test::some_of(300); ++i) {
    for (const Element element : {Element::f32, Element::f64}) expect_exact(random, element, random_extent(random));
  }
}

TEST_P(Reductions, of_more_tiles_than_blocks_equal_the_definition) {
  std::mt19937 random(3);
  for (const Element element : {Element::f32, Element::f64}) {
    expect_exact(random, element, {300, 100, 50});
    expect_exact(random, element, {3, 1021, 80});
  }
}

TEST_P(Reductions, of_a_nan_are_nan_wherever_it_is) {
  for (std::size_t at = 0; at < 40; ++at) {
    std::vector<double> values(40, 1.0);
    values[at] = nan;
    std::array<double, 5> results{};
    reduce(all_of_row(values, results));
    for (const double result : results) EXPECT_NE(result, result) << at;
  }
}

TEST_P(Reductions, of_infinite_and_negative_numbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<float> values{-3, -2.5F, -static_cast<float>(infinity)};
  std::array<double, 5> results{};
  reduce(all_of_row(values, results));
  EXPECT_EQ(results, (std::array{-infinity, infinity, -infinity, -2.5, infinity}));
}

/// Of memory that is only an address.
cuda::ReductionPlan plan_of(Element element, const Vec3& extent, std::int64_t pitch, std::int64_t first = 0,
                            std::int64_t every = 1) {
  alignas(16) static std::byte origin[32];
  static double result = 0;
  const std::int64_t bytes = bytes_of(element);
  const StridedReduction one{Reduce::sum, &result, {origin + first}, {every * bytes, pitch, pitch * extent.y},
                             extent,      element};
  return cuda::plan_reductions({&one, 1});
}

TEST(ReductionPlan, rows_of_whole_units_at_multiples_of_16_bytes_are_aligned) {
  EXPECT_TRUE(plan_of(Element::f32, {64, 4, 4}, 272).tasks[0].aligned);
  EXPECT_TRUE(plan_of(Element::f32, {63, 4, 4}, 272).tasks[0].aligned);
  EXPECT_TRUE(plan_of(Element::f64, {64, 4, 4}, 528).tasks[0].aligned);
  EXPECT_FALSE(plan_of(Element::f32, {64, 4, 4}, 268).tasks[0].aligned);
  EXPECT_FALSE(plan_of(Element::f32, {64, 4, 4}, 272, 4).tasks[0].aligned);
  EXPECT_FALSE(plan_of(Element::f64, {64, 4, 4}, 520).tasks[0].aligned);
  EXPECT_FALSE(plan_of(Element::f32, {32, 4, 4}, 272, 0, 2).tasks[0].aligned) << "every second element";
}

TEST(ReductionPlan, a_small_box_has_one_unit_for_each_thread_and_a_large_one_several) {
  const auto smallest = plan_of(Element::f32, {16, 16, 16}, 64);
  EXPECT_EQ(smallest.outputs[0].loads, 4U);
  EXPECT_EQ(smallest.blocks, 1U);
  const auto all_that_one_block_loads_at_once = plan_of(Element::f32, {32, 16, 16}, 128);
  EXPECT_EQ(all_that_one_block_loads_at_once.outputs[0].loads, 8U);
  EXPECT_EQ(all_that_one_block_loads_at_once.blocks, 1U);
  const auto small = plan_of(Element::f32, {64, 64, 64}, 256);
  EXPECT_EQ(small.outputs[0].loads, 1U);
  EXPECT_EQ(small.blocks, 256U);
  const auto middle = plan_of(Element::f32, {128, 128, 128}, 512);
  EXPECT_EQ(middle.outputs[0].loads, 4U);
  EXPECT_EQ(middle.blocks, cuda::most_reduction_blocks);
  const auto large = plan_of(Element::f64, {512, 512, 64}, 4096);
  EXPECT_EQ(large.outputs[0].loads, cuda::most_reduction_loads);
  EXPECT_EQ(large.tasks[0].units, 256U * 512 * 64);
}

INSTANTIATE_TEST_SUITE_P(all, Reductions,
                         testing::Values(std::pair{"on_the_host", &reduce_on_host}, std::pair{"by_tasks", &carry_out}),
                         [](const auto& param) { return std::string(param.param.first); });

TEST(StridedReduction, is_accumulated_in_double_precision) {
  std::vector<float> values(1 << 20, 0.1F);
  double sum = 0;
  const StridedReduction one{
      Reduce::sum,     &sum,        {reinterpret_cast<const std::byte*>(values.data())}, {4, 4 << 20, 4 << 20},
      {1 << 20, 1, 1}, Element::f32};
  reduce_on_host({&one, 1});
  EXPECT_NEAR(sum, double{0.1F} * (1 << 20), 1e-6);
}

TEST(StridedReduction, is_refused_without_memory_alignment_or_a_real_type) {
  alignas(8) std::array<std::byte, 64> memory{};
  double sum = 0;
  const auto refusal = [&](StridedReduction one) {
    const std::string text = thrown([&] { reduce_on_host({&one, 1}); });
    EXPECT_EQ(thrown([&] { static_cast<void>(cuda::plan_reductions({&one, 1})); }), text);
    return text;
  };
  EXPECT_EQ(refusal({Reduce::sum, nullptr, {memory.data()}, {8, 8, 8}, {1, 1, 1}, Element::f64}),
            "invalid argument: the target or a box of a reduction is null");
  EXPECT_EQ(refusal({Reduce::sum, &sum, {nullptr}, {8, 8, 8}, {1, 1, 1}, Element::f64}),
            "invalid argument: the target or a box of a reduction is null");
  EXPECT_EQ(
      refusal({Reduce::sum, &sum, {memory.data() + 4}, {8, 8, 8}, {1, 1, 1}, Element::f64}),
      "invalid argument: a reduction of f64 is of addresses and strides that are no multiples of 8 bytes; allowed "
      "are multiples");
  EXPECT_EQ(refusal({Reduce::sum, &sum, {memory.data()}, {8, 8, 8}, {1, 1, 1}, Element::i64}),
            "invalid argument: a reduction is of i64; allowed are f32 and f64");
}

TEST(StridedReduction, of_another_backend_is_refused) {
  class Other final : public ReductionList {};
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  EXPECT_EQ(thrown([&] { stream->reduce(Other()); }),
            "invalid argument: the list of reductions belongs to another backend than the stream");
}

}  // namespace
}  // namespace halocline::device::test
