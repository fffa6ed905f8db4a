// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halocline/error.hpp"
#include "simulation/life.hpp"
#include "simulation/simulator.hpp"

namespace halocline::simulation {

/// Of waits, in virtual time. Threads of net look at their ports all that time: a longer one takes the machine longer.
inline constexpr Duration timeout = std::chrono::seconds(2);
/// A rank that stops does so for so long.
inline constexpr Duration stop = 3 * timeout;

/// How a rank has ended.
struct Ending {
  enum class How { completed, killed, error, unexpected } how = How::unexpected;
  ErrorKind kind{};
  bool by_user = false;  ///< the program's own operation failed, not one of the exchange
  std::string text;
  std::int64_t wrong = 0;  ///< cells
  std::string first_wrong;
  Time at{};
};

/// What is wrong with the endings of all ranks; empty if nothing is. fault: when it happened.
[[nodiscard]] std::string judge(const Life& life, const std::vector<Ending>& endings, const std::optional<Time>& fault);

}  // namespace halocline::simulation
