// SPDX-License-Identifier: BSD-3-Clause
// All schemes on GPUs against the serial solution, bit for bit.
#include <gtest/gtest.h>

#include "comm/local_ranks.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/session.hpp"
#include "laplace3d/case.hpp"

namespace {

using halocline::Vec3;
using laplace3d::SchemeKind;
using laplace3d::Stencil;

template <typename T>
void expect_serial_solution(const Vec3& extent, int devices, int steps_per_exchange, Stencil stencil,
                            SchemeKind scheme) {
  SCOPED_TRACE(std::string(to_string(scheme)) + ", " + to_string(extent) + " on " + std::to_string(devices) +
               ", steps_per_exchange " + std::to_string(steps_per_exchange) + ", points " +
               std::to_string(static_cast<int>(stencil)));
  halocline::DomainOptions options;
  options.devices.kind = halocline::DeviceKind::cuda;
  options.devices.per_rank = devices;
  options.steps_per_exchange = steps_per_exchange;
  const auto comm = halocline::comm::serial();
  laplace3d::Case<T> on(*comm, {extent, stencil, default_coefficients(stencil)}, options);
  on.prepare(scheme);
  for (const int steps : {8 * steps_per_exchange, 21 * steps_per_exchange}) {
    on.time(scheme, steps);
    const auto check = on.check(steps);
    EXPECT_TRUE(check.passed()) << check.different << " of " << check.cells << " cells differ after " << steps;
  }
  on.close();
}

class LaplaceOnGpus : public testing::TestWithParam<SchemeKind> {};

TEST_P(LaplaceOnGpus, agrees_with_the_serial_solution_on_as_many_as_there_are) {
  HALOCLINE_NEEDS_GPUS(1);
  for (int devices = 1; devices <= halocline::test::gpu_count(); ++devices) {
    for (const auto stencil : {Stencil::points7, Stencil::points19}) {
      expect_serial_solution<double>({64, 48, 12 * devices}, devices, 1, stencil, GetParam());
      expect_serial_solution<double>({67, 45, 7 * devices}, devices, 1, stencil, GetParam());
      expect_serial_solution<float>({131, 9, 8 * devices}, devices, 2, stencil, GetParam());
      expect_serial_solution<double>({5, 3, 6 * devices}, devices, 3, stencil, GetParam());
    }
  }
}

TEST_P(LaplaceOnGpus, agrees_in_long_marches) {
  HALOCLINE_NEEDS_GPUS(1);
  const int devices = halocline::test::gpu_count();
  expect_serial_solution<double>({200, 190, 64 * devices}, devices, 1, Stencil::points7, GetParam());
}

INSTANTIATE_TEST_SUITE_P(all, LaplaceOnGpus, testing::ValuesIn(laplace3d::schemes_for(1)), [](const auto& tested) {
  std::string name(to_string(tested.param));
  for (char& c : name) c = c == '-' || c == '+' ? '_' : c;
  return name;
});

}  // namespace
