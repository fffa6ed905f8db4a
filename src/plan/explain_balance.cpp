// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "plan/plan.hpp"

namespace halocline {

std::string explain_balance(const Plan& plan) {
  if (!plan.balance) return "";
  const Balance& balance = *plan.balance;
  const double fastest = std::ranges::max(balance.speeds);
  std::string text = fmt::format(
      "balance    speeds {}; predicted time of the slowest device over an ideal split's: {:.3f}, {:.3f} with equal "
      "cells\n",
      balance.from, balance.now, balance.before);
  constexpr std::int64_t most_rows = 32;
  const auto size = plan.geometry.partition.size();
  const auto all = static_cast<double>(checked_volume(plan.geometry.partition.extent()));
  for (std::int64_t s = 0; s < std::min(size, most_rows); ++s) {
    const auto cells = plan.geometry.partition.box_of(subdomain_id(s)).volume();
    text += fmt::format("           subdomain {:>3}  speed {:.3f} of the fastest, {} cells ({:.1f} %)\n", s,
                        balance.speeds[static_cast<std::size_t>(s)] / fastest, cells,
                        100 * static_cast<double>(cells) / all);
  }
  if (size > most_rows) text += fmt::format("           ... and {} more\n", size - most_rows);
  return text;
}

}  // namespace halocline
