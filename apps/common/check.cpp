// SPDX-License-Identifier: BSD-3-Clause
#include "common/check.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstring>

#include "comm/agree.hpp"
#include "comm/patience.hpp"
#include "halocline/error.hpp"

namespace apps {

template <typename T>
Check compare(const std::vector<T>& expected, const std::vector<T>& found) {
  if (expected.size() != found.size()) {
    throw halocline::InternalError(fmt::format("{} cells compared with {}", expected.size(), found.size()));
  }
  Check check;
  check.cells = static_cast<std::int64_t>(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&expected[i], &found[i], sizeof(T)) != 0) ++check.different;
    const double d = std::abs(static_cast<double>(expected[i]) - static_cast<double>(found[i]));
    // Not std::max: that would pass over a NaN.
    if (!(d <= check.largest_difference)) check.largest_difference = d;
  }
  return check;
}

template <typename T>
Check check_on_root(halocline::comm::RankGroup& comm, const std::function<std::vector<T>()>& expected,
                    const std::vector<T>& found) {
  using halocline::comm::Reduction;
  Check check;
  const halocline::comm::Patience patience(comm);
  halocline::comm::agree_on(comm, [&] {
    if (comm.rank().value() == 0) check = compare(expected(), found);
  });
  check.cells = comm.all_reduce(check.cells, Reduction::max);
  check.different = comm.all_reduce(check.different, Reduction::max);
  check.largest_difference = comm.all_reduce(check.largest_difference, Reduction::max);
  return check;
}

#define APPS_CHECK(T)                                                                                  \
  template Check compare<T>(const std::vector<T>&, const std::vector<T>&);                             \
  template Check check_on_root<T>(halocline::comm::RankGroup&, const std::function<std::vector<T>()>&, \
                                  const std::vector<T>&);
APPS_CHECK(float)
APPS_CHECK(double)
#undef APPS_CHECK

}  // namespace apps
