// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "partition/detail/grids.hpp"

namespace halocline::partition {
namespace {

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> found{1};
  std::int64_t previous = 0;
  std::size_t begin = 0;
  for (const std::int64_t prime : prime_factors(n)) {
    // A repeated prime multiplies only what its last occurrence added, so that no divisor comes twice.
    if (prime != previous) begin = 0;
    previous = prime;
    const std::size_t end = found.size();
    for (std::size_t i = begin; i < end; ++i) found.push_back(found[i] * prime);
    begin = end;
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

}  // namespace

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  if (n < 1) throw InvalidArgument(fmt::format("number of parts is {}; allowed is 1 or more", n));
  std::vector<std::int64_t> factors;
  for (std::int64_t p = 2; p <= n / p; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  std::reverse(factors.begin(), factors.end());
  return factors;
}

std::vector<Vec3> detail::factorisations(std::int64_t parts) {
  const std::vector<std::int64_t> all = divisors(parts);
  std::vector<Vec3> found;
  for (const std::int64_t p0 : all) {
    const std::int64_t rest = parts / p0;
    for (const std::int64_t p1 : all) {
      if (rest % p1 == 0) found.push_back({p0, p1, rest / p1});
    }
  }
  return found;
}

}  // namespace halocline::partition
