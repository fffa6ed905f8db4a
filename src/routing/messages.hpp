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
  /// Direction::index() of all that is in it; -1 where it holds all directions.
  int direction = -1;
  friend auto operator<=>(const MessageKey&, const MessageKey&) = default;
};
using MessageTable = std::map<MessageKey, partition::Message>;

/// A message for each direction in it, with all fields: each by the direction, in which its segments keep their order.
[[nodiscard]] std::map<int, partition::Message> by_direction(const partition::Message& message);

/// Whether a transport moves messages one by one. All that others move on a device is one operation of it, whose messages stay
/// whole.
[[nodiscard]] bool moves_one_by_one(Transport transport);

/// On which sides of the receiver's halo a message's cells lie.
[[nodiscard]] Directions sides_of(const partition::Message& message);

}  // namespace halocline::routing
