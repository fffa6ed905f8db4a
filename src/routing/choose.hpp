// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/verdict.hpp"
#include "halocline/ids.hpp"
#include "halocline/routing.hpp"

namespace halocline::routing {

/// Measured two-way rates of transports for a pair, bytes a second; one entry a transport, none where not measured.
using MeasuredRates = std::vector<std::pair<Transport, double>>;

/// All that is known of a pair of subdomains before a transport is chosen; the same at both ends.
/// The narrower answer implies the wider: same_subdomain means same rank and device, same_rank the same node.
struct PairFacts {
  bool same_subdomain = false;
  bool same_rank = false;
  bool same_node = false;
  bool same_device = false;
  Verdict peer_access;  ///< the sender's device may access the receiver's
  Verdict mapped;       ///< the sender can map memory of the receiver (tried), and they share a load/store domain
  Verdict exportable;   ///< the receiver's arrays can be mapped by other ranks
  /// Other devices of the receiver's rank may store to its arrays, where they have peer access.
  Verdict storable = Verdict::of(true);
  Verdict device_mpi;   ///< MPI takes device pointers at both ends (tried)
  Verdict direct_safe;  ///< no shared GPU, no serialised launches: nothing that direct could deadlock on
  bool mpi = false;     ///< there is MPI (or another backend of ranks) between the two ranks
  MeasuredRates measured;
};

/// Whether a transport could carry messages of this pair, and why not. Pure. Where `self` is forbidden, a subdomain's
/// message to itself may go by direct, peer_copy, mpi_device or mpi_staged, as if to another one of its rank.
[[nodiscard]] Verdict possible(Transport transport, const PairFacts& facts);

/// Chooses: the pair's exception; or the first in the policy's order that is possible, unless it was measured, and a later one
/// was measured to be at least 5/4 as fast, which then stands in its place before still later ones. Pure: the same facts and policy give the same route everywhere.
/// Throws CapabilityError where nothing that is allowed is possible, or an exception's transport is not; it names every
/// transport and why not. The policy must pass check().
[[nodiscard]] Route choose(subdomain_id from, subdomain_id to, const PairFacts& facts, const Policy& policy);

}  // namespace halocline::routing
