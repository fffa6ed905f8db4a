#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halocline/core/ids.hpp"

namespace halocline::routing {

/// How a message travels; DESIGN's names.
enum class Transport : int { self, direct, peer_copy, ipc_copy, mpi_device, mpi_staged };
inline constexpr std::array<Transport, 6> all_transports{Transport::self,       Transport::direct,
                                                         Transport::peer_copy,  Transport::ipc_copy,
                                                         Transport::mpi_device, Transport::mpi_staged};
[[nodiscard]] std::string_view to_string(Transport transport);
/// The inverse of to_string. Throws InvalidArgument that lists the names.
[[nodiscard]] Transport transport_from_string(std::string_view name);

/// An answer that was found by asking or by trying, and why it is no where it is no.
struct Answer {
  bool yes = false;
  std::string why_not;
  [[nodiscard]] static Answer of(bool yes, std::string why_not = {}) { return {yes, yes ? "" : std::move(why_not)}; }
};

/// Measured two-way rates of transports for a pair, bytes a second; one entry a transport, none where not measured.
using MeasuredRates = std::vector<std::pair<Transport, double>>;

/// All that is known of a pair of subdomains before a transport is chosen; the same at both ends.
/// The narrower answer implies the wider: same_subdomain means same rank and device, same_rank the same node.
struct PairFacts {
  bool same_subdomain = false;
  bool same_rank = false;
  bool same_node = false;
  bool same_device = false;
  Answer peer_access;  ///< the sender's device may access the receiver's
  Answer mapped;       ///< the sender can map memory of the receiver (tried), and they share a load/store domain
  Answer exportable;   ///< the receiver's arrays can be mapped by others
  Answer device_mpi;   ///< MPI takes device pointers at both ends (tried)
  Answer direct_safe;  ///< no shared GPU, no serialised launches: nothing that direct could deadlock on
  bool mpi = false;    ///< there is MPI (or a twin of it) between the two ranks
  MeasuredRates measured;
};

/// What the user allows. Default: everything, in the order of all_transports.
struct Policy {
  /// Tried in this order; what is not listed is forbidden.
  std::vector<Transport> order{all_transports.begin(), all_transports.end()};
  /// A transport for one pair, whether the order allows it or not; it must be possible there. Taken for the opposite
  /// direction too, where that has no exception of its own and it is possible there.
  struct Exception {
    subdomain_id from;
    subdomain_id to;
    Transport transport;
    friend bool operator==(const Exception&, const Exception&) = default;
  };
  std::vector<Exception> exceptions;
  /// Let a transport take the place of one before it that was measured and is slower by a quarter or more.
  bool use_measurements = true;

  /// "direct,mpi_staged" allows these in this order (`self` is always allowed unless forbidden);
  /// "-direct,-peer_copy" forbids. Mixing both is an error. Throws InvalidArgument.
  static Policy parse(std::string_view text);
  /// What parse() reads, with `self` named: "self,direct,mpi_staged". Exceptions are not part of it.
  [[nodiscard]] std::string text() const;
  /// Throws InvalidArgument where the order is empty or lists a transport twice, or a pair has two exceptions.
  void check() const;
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// The decision for one pair, with its reason as text: "ipc_copy: same node, other process, mapping yes".
struct Route {
  subdomain_id from;
  subdomain_id to;
  Transport transport = Transport::mpi_staged;
  std::string reason;
  friend bool operator==(const Route&, const Route&) = default;
};

/// Whether a transport could carry messages of this pair, and why not. Pure. Where `self` is forbidden, a subdomain's
/// message to itself may go by direct, peer_copy, mpi_device or mpi_staged, as if to another one of its rank.
[[nodiscard]] Answer possible(Transport transport, const PairFacts& facts);

/// Chooses: the pair's exception; or the first in the policy's order that is possible, unless it was measured, and a later one
/// was measured to be at least 5/4 as fast, which then stands in its place before still later ones. Pure: the same facts and policy give the same route everywhere.
/// Throws CapabilityError where nothing that is allowed is possible, or an exception's transport is not; it names every
/// transport and why not. The policy must pass check().
[[nodiscard]] Route choose(subdomain_id from, subdomain_id to, const PairFacts& facts, const Policy& policy);

}  // namespace halocline::routing
