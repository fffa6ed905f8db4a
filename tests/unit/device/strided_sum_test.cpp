// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "device/host.hpp"
#include "support/effort.hpp"
#include "unit/device/sum_case.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

TEST(StridedSum, EqualsTheDefinitionForAllElementsAndRandomLayouts) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  std::mt19937 random(20261123);
  for (int i = 0; i < halocline::test::some_of(500); ++i) {
    std::vector<SumCase> cases;
    for (const Element element : all_elements) cases.emplace_back(random, element);
    std::vector<StridedSum> sums;
    for (SumCase& one : cases) {
      std::vector<std::byte*> terms;
      for (auto& summand : one.summands) terms.push_back(summand.data());
      sums.push_back(one.in(one.actual.data(), terms));
    }
    const auto list = backend->prepare_sums(0, sums);
    stream->add(*list);
    stream->synchronize();
    for (const SumCase& one : cases) {
      ASSERT_EQ(one.actual, one.expected) << "case " << i << ", " << halocline::to_string(one.element);
    }
  }
}

TEST(StridedSum, IsRefusedWithoutMemory) {
  const auto backend = make_host_backend({});
  double value = 1;
  StridedSum sum{.target = reinterpret_cast<std::byte*>(&value), .extent = {1, 1, 1}, .terms = {{}}};
  EXPECT_EQ(thrown([&] {
              static_cast<void>(backend->prepare_sums(0, {&sum, 1}));
            }),
            "invalid argument: the target or a term of a sum is null");
}

TEST(StridedSum, OfAnotherBackendIsRefused) {
  class Other final : public SumList {};
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  EXPECT_EQ(thrown([&] { stream->add(Other()); }),
            "invalid argument: the list of sums belongs to another backend than the stream");
}

}  // namespace
}  // namespace halocline::device::test
