// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <map>

#include "halocline/direction.hpp"
#include "halocline/routing.hpp"
#include "partition/halo.hpp"

namespace halocline::routing {

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

/// Whether a transport moves messages one by one. The others move all messages of a device as one operation of the
/// device, and do not split messages by direction.
[[nodiscard]] bool moves_one_by_one(Transport transport);

/// Whether all messages from one rank to another by a transport are sent as one, a bundle.
[[nodiscard]] bool bundles(Messages messages, Transport transport);

/// The sides of the receiver's halo that a message's cells are on.
[[nodiscard]] Directions sides_of(const partition::Message& message);

}  // namespace halocline::routing
