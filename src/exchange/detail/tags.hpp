// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "partition/halo.hpp"

namespace halocline::exchange::tags {

inline constexpr int set_up_length = 1;
inline constexpr int set_up = 2;
inline constexpr int trial = 3;
/// The messages from one node to another that travel as one: two ranks have one such message at most, in each direction.
inline constexpr int node = 4;
/// Halo messages: from first_message on.
inline constexpr int first_message = 16;

/// The tag of the k-th message from one rank to another, by (from, to) in the order in which both ends list them.
[[nodiscard]] constexpr int message(int k) { return first_message + k; }

/// What OrderCheck sends of the message with a tag. Two ranks have fewer messages than half of all tags.
[[nodiscard]] constexpr int digest(int message_tag) { return (1 << 14) + message_tag; }

/// What goes by the k-th port from one rank to another, and the `ready` that comes back; in the ports' own group.
[[nodiscard]] constexpr int port(int k) { return k; }
[[nodiscard]] constexpr int ready(int port_tag) { return (1 << 14) + port_tag; }

}  // namespace halocline::exchange::tags
