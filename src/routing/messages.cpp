// SPDX-License-Identifier: BSD-3-Clause
#include "routing/messages.hpp"

#include "halocline/error.hpp"

namespace halocline::routing {

std::string_view to_string(Messages messages) {
  switch (messages) {
    case Messages::by_neighbour: return "by_neighbour";
    case Messages::by_direction: return "by_direction";
    case Messages::by_rank: return "by_rank";
    case Messages::by_node: return "by_node";
    case Messages::automatic: return "auto";
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

bool packs(Transport transport) { return transport != Transport::self && transport != Transport::direct; }

bool moves_one_by_one(Transport transport) { return packs(transport) && transport != Transport::net; }

std::optional<BundleKey> bundle_of(Messages messages, Transport transport, const placement::Slot& from,
                                   const placement::Slot& to) {
  const bool bundles = messages == Messages::by_rank || messages == Messages::by_node;
  if (!bundles || transport != Transport::mpi_staged) return std::nullopt;
  if (messages == Messages::by_node && from.node != to.node) {
    return BundleKey{BundleKey::Ends::nodes, from.node.value(), to.node.value()};
  }
  return BundleKey{BundleKey::Ends::ranks, from.rank.value(), to.rank.value()};
}

rank_id leader(std::span<const rank_id> ranks, std::size_t nth, bool sends) {
  return ranks[(nth + (sends ? 0 : 1)) % ranks.size()];
}

Directions sides_of(const partition::Message& message) {
  Directions sides;
  for (const partition::Segment& segment : message.segments) {
    sides.set(static_cast<std::size_t>(segment.direction.opposite().index()));
  }
  return sides;
}

}  // namespace halocline::routing
