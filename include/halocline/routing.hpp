// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halocline/ids.hpp"

#pragma GCC visibility push(default)
namespace halocline::routing {

/// How a message travels; DESIGN's names.
enum class Transport : int { self, direct, peer_copy, ipc_copy, mpi_device, mpi_staged };
inline constexpr std::array<Transport, 6> all_transports{Transport::self,       Transport::direct,
                                                         Transport::peer_copy,  Transport::ipc_copy,
                                                         Transport::mpi_device, Transport::mpi_staged};
[[nodiscard]] std::string_view to_string(Transport transport);
/// The inverse of to_string. Throws InvalidArgument that lists the names.
[[nodiscard]] Transport transport_from_string(std::string_view name);

/// What goes together from one subdomain to another.
enum class Messages : int {
  by_neighbour,  ///< one message for all directions in which the other is met
  /// A message a direction, with all fields, each with a stream, a buffer and a notice of arrival of its own. `self` and
  /// `direct`, which move everything as one operation of the device, keep one a neighbour.
  by_direction,
};
[[nodiscard]] std::string_view to_string(Messages messages);

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
  /// Of direct: small messages may go as packets, 16 bytes of which must arrive as a whole.
  bool packets = true;
  friend bool operator==(const Route&, const Route&) = default;
};

}  // namespace halocline::routing
#pragma GCC visibility pop
