// SPDX-License-Identifier: BSD-3-Clause
#include "routing/messages.hpp"

#include "halocline/error.hpp"

namespace halocline::routing {

std::string_view to_string(Messages messages) {
  switch (messages) {
    case Messages::by_neighbour: return "by_neighbour";
    case Messages::by_direction: return "by_direction";
    case Messages::by_rank: return "by_rank";
  }
  throw InternalError("Messages without a name");
}

std::map<int, partition::Message> by_direction(const partition::Message& message) {
  std::map<int, partition::Message> parts;
  for (const partition::Segment& segment : message.segments) {
    partition::Message& part = parts[segment.direction.index()];
    part.from = message.from;
    part.to = message.to;
    part.segments.push_back(segment);
  }
  return parts;
}

bool moves_one_by_one(Transport transport) { return transport != Transport::self && transport != Transport::direct; }

bool bundles(Messages messages, Transport transport) {
  return messages == Messages::by_rank && transport == Transport::mpi_staged;
}

Directions sides_of(const partition::Message& message) {
  Directions sides;
  for (const partition::Segment& segment : message.segments) {
    sides.set(static_cast<std::size_t>(segment.direction.opposite().index()));
  }
  return sides;
}

}  // namespace halocline::routing
