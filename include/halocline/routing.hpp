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

/// How a message is sent; docs/guide/6-exchange.md describes each.
enum class Transport : int { self, direct, peer_copy, ipc_copy, mpi_device, mpi_staged, net, nccl };
inline constexpr std::array<Transport, 8> all_transports{
    Transport::self,       Transport::direct,     Transport::peer_copy, Transport::ipc_copy,
    Transport::mpi_device, Transport::mpi_staged, Transport::net,       Transport::nccl};
[[nodiscard]] std::string_view to_string(Transport transport);
/// The inverse of to_string. Throws InvalidArgument that lists the names.
[[nodiscard]] Transport transport_from_string(std::string_view name);

/// What one message contains.
enum class Messages : int {
  by_neighbour,  ///< all directions in which the other subdomain is a neighbour
  /// One direction with all fields; each message has its own stream, buffer and arrival. `self`, `direct` and `net` move everything as
  /// one operation of the device, and keep one message for each neighbour.
  by_direction,
  /// By `mpi_staged`: all from one rank to another. Other transports keep one message for each neighbour.
  by_rank,
  by_node,  ///< likewise from one node to another, on host devices; within a node as by_rank
  automatic,  ///< "auto": one of these, by predicted time, where the machine map has measured times of messages; or by_neighbour
};
[[nodiscard]] std::string_view to_string(Messages messages);

/// What moves the messages of `net`.
enum class NetEngine : int {
  /// "auto": mpi, but ucx where MPI is without MPI_THREAD_MULTIPLE, so that no thread could move its messages, and all ranks have UCX.
  automatic,
  mpi,
  ucx,  ///< found at run time; realize() throws CapabilityError on all ranks where one has none
};
[[nodiscard]] std::string_view to_string(NetEngine engine);
/// The inverse of to_string. Throws InvalidArgument that lists the names.
[[nodiscard]] NetEngine net_engine_from_string(std::string_view name);

/// The transports that may be used. Default: all but `net` and `nccl`, in the order of all_transports.
struct Policy {
  /// Tried in this order; transports that are not listed are forbidden.
  std::vector<Transport> order{all_transports.begin(), all_transports.end() - 2};
  /// The transport for one pair, also if the order does not allow it; it must be possible for the pair. Also used for the opposite
  /// direction, if that is possible and has no exception of its own.
  struct Exception {
    subdomain_id from;
    subdomain_id to;
    Transport transport;
    friend bool operator==(const Exception&, const Exception&) = default;
  };
  std::vector<Exception> exceptions;
  /// Prefer a transport to an earlier one if both were measured and it is at least 5/4 as fast.
  bool use_measurements = true;

  /// "direct,mpi_staged" allows these in this order (`self` is always allowed unless forbidden);
  /// "-direct,-peer_copy" forbids. Mixing both is an error. Throws InvalidArgument, whose text begins with `subject`, such as
  /// "HALOCLINE_TRANSPORTS is", and the text.
  static Policy parse(std::string_view text, std::string_view subject = "transports are");
  /// What parse() reads, with `self` named: "self,direct,mpi_staged". Exceptions are not part of it.
  [[nodiscard]] std::string text() const;
  /// Throws InvalidArgument if the order is empty or lists a transport twice, or a pair has two exceptions.
  void check() const;
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// The decision for one pair, with its reason as text: "ipc_copy: same node, other process, mapping yes".
struct Route {
  subdomain_id from;
  subdomain_id to;
  Transport transport = Transport::mpi_staged;
  std::string reason;
  /// For direct: small messages may be sent as LL packets, which need 16-byte stores to arrive as a whole.
  bool packets = true;
  /// For direct: the sender's device stores rows into the receiver's arrays. If it cannot reach them, as arrays of the user's own in
  /// another process, the whole message is packed into a receive buffer of the library and unpacked there.
  bool in_place = true;
  friend bool operator==(const Route&, const Route&) = default;
};

}  // namespace halocline::routing
#pragma GCC visibility pop
