// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/verdict.hpp"
#include "halocline/ids.hpp"
#include "halocline/routing.hpp"

namespace halocline::routing {

/// Measured two-way rates of transports for a pair, in bytes per second; one entry for each transport, empty if not
/// measured.
using MeasuredRates = std::vector<std::pair<Transport, double>>;

/// All facts about a pair of subdomains that the choice of a transport depends on; the same at both ends.
/// A narrower fact implies the wider ones: same_subdomain implies the same rank and device, same_rank the same node.
struct PairFacts {
  bool same_subdomain = false;
  bool same_rank = false;
  bool same_node = false;
  bool same_device = false;
  /// Of one node, or in one load/store domain of a rack, whatever their nodes: `mapped` is the answer of a trial.
  bool shares_load_store = false;
  Verdict peer_access;  ///< the sender's device may access the receiver's
  Verdict mapped;       ///< the sender can map memory of the receiver (tried), and they share a load/store domain
  Verdict exportable;   ///< the receiver's arrays can be mapped by other ranks
  /// Other devices of the receiver's rank may store to its arrays, where they have peer access.
  Verdict storable = Verdict::of(true);
  Verdict device_mpi;   ///< MPI takes device pointers at both ends (tried)
  Verdict nccl;         ///< both devices can be in one communicator of NCCL; asked only where the policy lists it
  Verdict direct_safe;  ///< no shared GPU and no serialised launches, on which direct and net could deadlock
  bool mpi = false;     ///< there is MPI (or another backend of ranks) between the two ranks
  MeasuredRates measured;
  friend bool operator==(const PairFacts&, const PairFacts&) = default;
};

/// Whether a transport can carry messages of this pair, with the reason if not. Pure. If `self` is forbidden, a
/// subdomain's message to itself may use direct, peer_copy, mpi_device, mpi_staged, net or nccl, as a message to another subdomain
/// of its rank.
[[nodiscard]] Verdict possible(Transport transport, const PairFacts& facts);

/// Whether a policy lists a transport, in its order or for a pair.
[[nodiscard]] bool may_use(const Policy& policy, Transport transport);

/// Chooses the route of a pair: the pair's exception if it has one, otherwise the first transport in the policy's order
/// that is possible. If that one was measured, and a later one was measured to be at least 5/4 as fast, the later one
/// takes its place, and is compared with still later ones in the same way. Pure: the same facts and policy give the
/// same route everywhere. Throws CapabilityError if no allowed transport is possible, or if an exception's transport is
/// not; the error names every transport with the reason. The policy must pass check().
[[nodiscard]] Route choose(subdomain_id from, subdomain_id to, const PairFacts& facts, const Policy& policy);

}  // namespace halocline::routing
