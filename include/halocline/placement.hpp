// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "halocline/ids.hpp"

#pragma GCC visibility push(default)
namespace halocline::placement {

/// How the subdomains of a node are assigned to its devices.
enum class Method : int {
  trivial,  ///< in order
  exact,    ///< the optimum of a quadratic assignment problem; up to 12 devices a node
  craft,    ///< a local optimum of it
  random,   ///< by the seed
  automatic,  ///< `fastest` where the machine map shows unequal links; otherwise `exact` up to 8 devices a node, `craft` above
  given,    ///< subdomains to devices of any node, by the owners
  fastest,  ///< by the simulated time of an exchange over links that messages share
  /// from what `automatic` finds, moves subdomains between nodes where an exchange takes less time over the machine's network
  system,
};
[[nodiscard]] std::string_view to_string(Method method);
[[nodiscard]] Method method_from_string(std::string_view name);

/// A device, by the rank that drives it.
struct Owner {
  rank_id rank;
  int device = 0;  ///< ordinal among the rank's own
};

struct Request {
  Method method = Method::automatic;
  std::uint64_t seed = 0;  ///< for random
  /// For given, and implies it: by subdomain_id, each device of the machine once. The domain is then cut as for one node of
  /// all devices, and subdomains are numbered along x, then y, then z (but for partition::Method::z_order).
  std::vector<Owner> owners{};
};

}  // namespace halocline::placement
#pragma GCC visibility pop
