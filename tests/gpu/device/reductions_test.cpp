// SPDX-License-Identifier: BSD-3-Clause
// Reductions by kernels, against their exact results, and in the same bits however often they run.
#include <gtest/gtest.h>

#include "gpu/device/gpus.hpp"
#include "unit/device/reduction_case.hpp"

namespace halocline::device::test {
namespace {

class GpuReductions : public OneGpu {
 protected:
  [[nodiscard]] std::unique_ptr<Buffer> on_device(const std::vector<std::byte>& bytes) const {
    auto buffer = backend->allocate(0, bytes.size());
    write(buffer->data(), bytes);
    return buffer;
  }
  template <std::size_t n>
  [[nodiscard]] std::array<double, n> results_in(const Buffer& buffer) const {
    std::array<double, n> results;
    std::memcpy(results.data(), read(buffer.data(), sizeof results).data(), sizeof results);
    return results;
  }
};

TEST_F(GpuReductions, equal_the_definition_for_random_layouts) {
  const auto stream = backend->create_stream(0);
  std::mt19937 random(20261127);
  for (int i = 0; i < 24; ++i) {
    const Element element = i % 2 == 0 ? Element::f32 : Element::f64;
    const Vec3 extent = i < 20 ? random_extent(random) : Vec3{300 + i, 100, 50};
    const ReductionCase one(random, element, extent);
    std::vector<std::unique_ptr<Buffer>> boxes;
    std::vector<const std::byte*> memory;
    for (const auto& box : one.boxes) memory.push_back(boxes.emplace_back(on_device(box))->data());
    const auto results = backend->allocate(0, 5 * sizeof(double));
    const auto list = backend->prepare_reductions(0, one.in(memory, reinterpret_cast<double*>(results->data())));
    for (int times = 0; times < 3; ++times) {
      stream->reduce(*list);
      stream->synchronize();
      ASSERT_EQ(results_in<5>(*results), one.expected) << "case " << i << ", launch " << times;
    }
  }
}

TEST_F(GpuReductions, have_the_same_bits_in_each_launch) {
  std::mt19937 random(5);
  std::vector<double> values(3'000'000);
  for (double& value : values) value = std::ldexp(static_cast<double>(random()), -static_cast<int>(random() % 60));
  std::vector<std::byte> bytes(values.size() * sizeof(double));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const auto box = on_device(bytes);
  const auto results = backend->allocate(0, 200 * sizeof(double));
  const auto stream = backend->create_stream(0);
  std::vector<std::unique_ptr<ReductionList>> lists;
  for (int i = 0; i < 200; ++i) {
    const StridedReduction one{Reduce::sum_of_squares, reinterpret_cast<double*>(results->data()) + i,
                               {box->data()},          {8, 24'000, 2'400'000},
                               {3000, 100, 10},        Element::f64};
    lists.push_back(backend->prepare_reductions(0, {&one, 1}));
    stream->reduce(*lists.back());
  }
  stream->synchronize();
  const auto all = results_in<200>(*results);
  EXPECT_GT(all[0], 0);
  for (const double result : all) ASSERT_EQ(result, all[0]);
}

}  // namespace
}  // namespace halocline::device::test
