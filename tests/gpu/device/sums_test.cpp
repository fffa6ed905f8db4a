// SPDX-License-Identifier: BSD-3-Clause
// Sums by kernels, against their definition carried out on the host: the same bits for all elements.
#include <gtest/gtest.h>

#include "gpu/device/gpus.hpp"
#include "unit/device/sum_case.hpp"

namespace halocline::device::test {
namespace {

class GpuSums : public OneGpu {
 protected:
  [[nodiscard]] std::unique_ptr<Buffer> on_device(const std::vector<std::byte>& bytes) const {
    auto buffer = backend->allocate(0, bytes.size());
    write(buffer->data(), bytes);
    return buffer;
  }
};

TEST_F(GpuSums, EqualTheDefinitionForAllElementsAndRandomLayouts) {
  const auto stream = backend->create_stream(0);
  std::mt19937 random(20261123);
  for (int i = 0; i < 12; ++i) {
    std::vector<SumCase> cases;
    std::vector<std::unique_ptr<Buffer>> targets;
    std::vector<std::unique_ptr<Buffer>> summands;
    std::vector<StridedSum> sums;
    for (const Element element : all_elements) {
      const SumCase& one = cases.emplace_back(random, element);
      targets.push_back(on_device(one.actual));
      std::vector<std::byte*> terms;
      for (const auto& summand : one.summands) {
        summands.push_back(on_device(summand));
        terms.push_back(summands.back()->data());
      }
      sums.push_back(one.in(targets.back()->data(), terms));
    }
    const auto list = backend->prepare_sums(0, sums);
    stream->add(*list);
    stream->synchronize();
    for (std::size_t k = 0; k < cases.size(); ++k) {
      ASSERT_EQ(read(targets[k]->data(), cases[k].expected.size()), cases[k].expected)
          << "case " << i << ", " << halocline::to_string(cases[k].element);
    }
  }
}

}  // namespace
}  // namespace halocline::device::test
