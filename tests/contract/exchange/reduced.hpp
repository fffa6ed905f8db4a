// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <vector>

#include "halocline/domain.hpp"
#include "ranks.hpp"
#include "support/seeded.hpp"

namespace halocline::test {

/// A domain with reductions of all kinds of a field whose cells hold seeded numbers of many magnitudes.
class Reduced {
 public:
  Reduced(comm::RankGroup& comm, const DomainOptions& options) : domain({9, 8, 12}, Stencil::box(1), comm, options) {
    u = domain.add_field<double>("u", {.buffers = 2});
    v = domain.add_field<float>("v");
    sum = domain.add_reduction(u, Reduce::sum);
    squares = domain.add_reduction(v, Reduce::sum_of_squares);
    most = domain.add_reduction(u, Reduce::max);
    most_abs = domain.add_reduction(v, Reduce::max_abs);
    domain.realize();
  }
  /// Enqueues the numbers; halos are NaN.
  void fill(std::uint64_t seed) {
    for (const Subdomain& s : domain.subdomains()) {
      const auto wide = s.view(u);
      const auto narrow = s.view(v);
      s.launch(wide.with_halo(), [wide, narrow, seed](const Box& part) {
        for_each_cell(part, [&](const Vec3& p) {
          const bool owned = wide.owned().contains(p);
          wide(p) = owned ? number(seed, p) : std::nan("");
          narrow(p) = owned ? static_cast<float>(number(seed + 1, p)) : std::nanf("");
        });
      });
    }
  }
  static double number(std::uint64_t seed, const Vec3& p) {
    Seeded seeded(seed * 1'000'000 + static_cast<std::uint64_t>((p.z * 100 + p.y) * 100 + p.x));
    return std::ldexp(static_cast<double>(seeded.between(-1000, 1000)), static_cast<int>(seeded.between(-30, 10)));
  }
  [[nodiscard]] std::vector<reduction_id> all() const { return {sum, squares, most, most_abs}; }
  /// The results that subdomains and the host have; they must be the same.
  [[nodiscard]] std::vector<std::uint64_t> bits() {
    std::vector<std::uint64_t> found;
    for (const reduction_id one : all()) {
      const auto value = std::bit_cast<std::uint64_t>(domain.value(one));
      for (const Subdomain& s : domain.subdomains()) EXPECT_EQ(std::bit_cast<std::uint64_t>(*s.result(one)), value);
      found.push_back(value);
    }
    return found;
  }
  /// A plain loop over the whole domain.
  void expect_near_to_a_loop(std::uint64_t seed) {
    double plain = 0, plain_squares = 0, plain_most = -HUGE_VAL, plain_abs = 0, size = 0;
    for_each_cell(Box::of_extent({9, 8, 12}), [&](const Vec3& p) {
      const double x = number(seed, p);
      const double y = static_cast<float>(number(seed + 1, p));
      plain += x;
      size += std::abs(x);
      plain_squares += y * y;
      plain_most = std::max(plain_most, x);
      plain_abs = std::max(plain_abs, std::abs(y));
    });
    EXPECT_NEAR(domain.value(sum), plain, size * 1e-13);
    EXPECT_NEAR(domain.value(squares), plain_squares, plain_squares * 1e-13);
    EXPECT_EQ(domain.value(most), plain_most);
    EXPECT_EQ(domain.value(most_abs), plain_abs);
  }

  Domain domain;
  Field<double> u{};
  Field<float> v{};
  reduction_id sum, squares, most, most_abs;
};

inline void expect_all_reduce(const std::vector<Outcome>& all) {
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

class Reduction : public testing::TestWithParam<std::tuple<routing::Transport, bool>> {
 protected:
  [[nodiscard]] static DomainOptions options(Duration timeout = std::chrono::seconds(30),
                                             std::shared_ptr<device::Injector> injector = {}) {
    const auto [transport, graphs] = GetParam();
    return options_with(std::move(injector), transport, timeout, graphs);
  }
};

}  // namespace halocline::test
