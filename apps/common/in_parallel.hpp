// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace apps {

/// Calls body(i) for each i from first to below last, at the same time on as many threads as there are cores; returns when all
/// are done. body must not throw.
template <typename Body>
void for_each_in_parallel(std::int64_t first, std::int64_t last, const Body& body) {
  const std::int64_t threads = std::min<std::int64_t>(last - first, std::max(1u, std::thread::hardware_concurrency()));
  const auto some = [&](std::int64_t of_thread) {
    for (std::int64_t i = first + of_thread; i < last; i += threads) body(i);
  };
  std::vector<std::jthread> others;
  for (std::int64_t t = 1; t < threads; ++t) {
    try {
      others.emplace_back(some, t);
    } catch (const std::system_error&) {
      some(t);  // it takes longer where no more threads may be started
    }
  }
  some(0);
}

}  // namespace apps
