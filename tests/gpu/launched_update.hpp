// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "halocline/halocline.hpp"
#include "support/seeded.hpp"

namespace halocline::test {

/// Expects that a launch writes exactly what a host function writes, bit for bit: from random values in all cells of
/// the field's array, halo included, into the next buffer. name: of the case, in failures.
///
/// on_device(source, target) enqueues in the subdomain's stream; on_host(source, target) is for arrays of the same shape.
template <typename T>
void expect_launched_update(const Subdomain& subdomain, const Field<T>& field, std::uint64_t seed,
                            const std::string& name, const auto& on_device, const auto& on_host) {
  constexpr T untouched = -7;
  Seeded seeded(seed);
  const HostBytes before(subdomain, field.id);
  const HostArray<T> expected(subdomain, field);
  const auto random = before.view<T>();
  for_each_cell(random.with_halo(), [&](const Vec3& p) {
    random(p) = static_cast<T>(seeded.between(0, 1 << 20)) / 7;
    expected(p) = untouched;
  });
  before.upload(subdomain, field.id);
  expected.upload(subdomain, field, 1);
  on_device(subdomain.read(field), subdomain.view(field, 1));
  const auto found = to_host(subdomain, field, 1);
  on_host(before.view<const T>(), expected.view());
  std::int64_t wrong = 0;
  for_each_cell(random.with_halo(), [&](const Vec3& p) {
    if (std::memcmp(&found(p), &expected(p), sizeof(T)) == 0 || wrong++ > 0) return;
    ADD_FAILURE() << name << ": cell " << to_string(p) << " is " << found(p) << ", not " << expected(p);
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace halocline::test
