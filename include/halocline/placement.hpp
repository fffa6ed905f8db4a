// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)
namespace halocline::placement {

/// How the subdomains of a node are assigned to its devices.
enum class Method : int { trivial, exact, craft, random, automatic };
[[nodiscard]] std::string_view to_string(Method method);
[[nodiscard]] Method method_from_string(std::string_view name);

struct Request {
  Method method = Method::automatic;  ///< exact up to 8 devices a node, CRAFT above
  std::uint64_t seed = 0;             ///< for random
};

}  // namespace halocline::placement
#pragma GCC visibility pop
