// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "halocline/direction.hpp"
#include "halocline/routing.hpp"
#include "partition/halo.hpp"
#include "placement/placement.hpp"

namespace halocline::routing {

/// All but `automatic`; the default first.
inline constexpr std::array fixed_messages{Messages::by_neighbour, Messages::by_direction, Messages::by_rank,
                                           Messages::by_node};

/// Distinguishes messages, and orders them in the same way at both ends.
struct MessageKey {
  subdomain_id from;
  subdomain_id to;
  /// Direction::index() of the message's only direction; -1 if it contains all directions.
  int direction = -1;
  friend auto operator<=>(const MessageKey&, const MessageKey&) = default;
};
using MessageTable = std::map<MessageKey, partition::Message>;

/// Splits a message into one for each direction in it, with all fields; the segments of each keep their order.
[[nodiscard]] std::map<int, partition::Message> by_direction(const partition::Message& message);

/// Whether a transport packs messages as a whole, which then hold each cell once (partition::bytes_once). Where net cuts a message into
/// more parts than the radius has planes, it sends some edges and corners in addition.
[[nodiscard]] bool packs(Transport transport);
/// The bytes of a flow that a transport moves, unless in messages by direction.
[[nodiscard]] inline std::int64_t bytes_sent(const partition::Flow& flow, Transport transport) {
  return packs(transport) ? flow.bytes_once : flow.bytes;
}

/// Whether a transport moves messages one by one. The others move all messages of a device as one operation of the
/// device, and do not split messages by direction.
[[nodiscard]] bool moves_one_by_one(Transport transport);

/// Identifies a bundle: the messages from one rank to another, or from one node to another, that are sent as one.
struct BundleKey {
  enum class Ends : int { ranks, nodes };
  Ends ends = Ends::ranks;
  std::int64_t from = 0;  ///< a rank or a node
  std::int64_t to = 0;
  friend auto operator<=>(const BundleKey&, const BundleKey&) = default;
};
/// The bundle that a message travels in; nothing if it is sent on its own.
[[nodiscard]] std::optional<BundleKey> bundle_of(Messages messages, Transport transport, const placement::Slot& from,
                                                 const placement::Slot& to);

/// The rank that calls MPI for a node's bundle. ranks: those that have parts of it, without duplicates. nth: the bundle's position
/// among those that the node sends, or receives; successive bundles have successive ranks, and a node sends and receives by
/// different ranks where it can.
[[nodiscard]] rank_id leader(std::span<const rank_id> ranks, std::size_t nth, bool sends);

/// The sides of the receiver's halo that a message's cells are on.
[[nodiscard]] Directions sides_of(const partition::Message& message);

}  // namespace halocline::routing
