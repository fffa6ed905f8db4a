// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "halocline/routing.hpp"

namespace halocline::bench {

/// One rung of the ladder: what may be used, most special first.
struct Rung {
  std::string name;  ///< "+remote", "+colo", "+peer", "+self", "+direct"
  routing::Policy policy;
};

/// The first paper's capabilities, each rung with those before it, and then ours. The base is MPI by the host, or on
/// device pointers (the paper's "/ca"): then a message that MPI cannot take there, such as one of a rank to itself, is
/// still staged.
[[nodiscard]] std::vector<Rung> ladder(bool cuda_aware);
/// Those of the names, in the ladder's order; all for an empty list. Throws InvalidArgument for a name that is none.
[[nodiscard]] std::vector<Rung> ladder(bool cuda_aware, const std::vector<std::string>& names);

/// Where two subdomains are, seen from each other.
struct Relation {
  bool same_subdomain = false;
  bool same_rank = false;
  bool same_node = false;
};
/// What the policy asks for between two subdomains of one machine on which everything is possible; the first answer
/// counts, a second one stands for "or, as a rank's message to itself by MPI".
[[nodiscard]] std::vector<routing::Transport> asked_for(const routing::Policy& policy, const Relation& relation);

}  // namespace halocline::bench
