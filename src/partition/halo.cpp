// SPDX-License-Identifier: BSD-3-Clause
#include "partition/halo.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/bytes.hpp"
#include "core/wire.hpp"
#include "partition/shared_cells.hpp"

namespace halocline::partition {
namespace {

/// Who is met at the other end of what is sent towards a direction.
struct Way {
  Neighbour other;
  Direction direction;  ///< the sender's, at both ends
};

enum class Role { sender, receiver };

/// By other subdomain, then direction: the order of messages, and of segments within a field.
std::vector<Way> ways(const Geometry& geometry, subdomain_id subdomain, Role role) {
  std::vector<Way> found;
  found.reserve(all_directions.size());
  for (const Direction d : all_directions) {
    const auto other = neighbour(geometry, subdomain, role == Role::sender ? d : d.opposite());
    if (other) found.push_back({*other, d});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Way& a, const Way& b) { return a.other.subdomain < b.other.subdomain; });
  return found;
}

/// Calls f(begin, end) for each run of ways with one other subdomain.
template <typename F>
void for_each_other(const std::vector<Way>& all, F&& f) {
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end =
        std::find_if(begin, all.end(), [&](const Way& way) { return way.other.subdomain != begin->other.subdomain; });
    f(begin, end);
    begin = end;
  }
}

/// Bytes that a box of a field takes in a message, of the components that are sent towards a direction.
Bytes bytes_in(const Geometry& geometry, field_id field, const Box& box, Direction d) {
  if (box.empty()) return {};
  const FieldDescriptor& descriptor = geometry.fields[field.index()];
  const Vec3 extent = box.extent();
  return Bytes(bytes_on_wire(descriptor)) * components_sent(descriptor, d) * extent.x * extent.y * extent.z;
}

std::string between(subdomain_id from, subdomain_id to) {
  return fmt::format("what subdomain {} sends to subdomain {}", from.value(), to.value());
}

Message gathered(const Geometry& geometry, subdomain_id from, subdomain_id to) {
  constexpr Direction any = all_directions.front();
  Message message{from, to, {}};
  for (std::size_t f = 0; f < geometry.fields.size(); ++f) {
    const field_id field(static_cast<std::int64_t>(f));
    const Vec3 moved{geometry.gather->place_of(from) - geometry.gather->place_of(to), 0, 0};
    message.segments.push_back({field, any, geometry.owned(field, from), geometry.owned(field, to).shifted(moved),
                                bytes_of(geometry.fields[f].element)});
  }
  return message;
}

std::vector<Message> messages(const Geometry& geometry, subdomain_id subdomain, Role role) {
  std::vector<Message> all;
  if (geometry.gather) {
    const bool sends = role == Role::sender;
    for (const subdomain_id other :
         sends ? geometry.gather->receivers_of(subdomain) : geometry.gather->senders_to(subdomain)) {
      all.push_back(sends ? gathered(geometry, subdomain, other) : gathered(geometry, other, subdomain));
    }
    return all;
  }
  for_each_other(ways(geometry, subdomain, role), [&](auto begin, auto end) {
    const subdomain_id other = begin->other.subdomain;
    Message message{role == Role::sender ? subdomain : other, role == Role::sender ? other : subdomain, {}};
    for (std::size_t f = 0; f < geometry.fields.size(); ++f) {
      const field_id field(static_cast<std::int64_t>(f));
      for (auto way = begin; way != end; ++way) {
        const Box target = geometry.halo(field, message.to, way->direction.opposite());
        const int components = components_sent(geometry.fields[f], way->direction);
        if (target.empty() || components == 0) continue;
        // The shift leads from the other's frame to this subdomain's; a target is in the receiver's.
        const Vec3 shift = role == Role::sender ? way->other.shift : Vec3{} - way->other.shift;
        const std::int64_t bytes =
            bytes_in(geometry, field, target, way->direction).value([&] { return between(message.from, message.to); });
        message.segments.push_back(
            {field, way->direction, target.shifted(shift), target, bytes, components == geometry.fields[f].components});
      }
    }
    if (!message.segments.empty()) all.push_back(std::move(message));
  });
  return all;
}

}  // namespace

bool is_sent(const FieldDescriptor& field, int component, Direction d) {
  return field.component_directions.empty() ||
         field.component_directions[static_cast<std::size_t>(component)].test(static_cast<std::size_t>(d.index()));
}

int components_sent(const FieldDescriptor& field, Direction d) {
  int sent = 0;
  for (int component = 0; component < field.components; ++component) sent += is_sent(field, component, d) ? 1 : 0;
  return sent;
}

std::int64_t Message::bytes() const {
  Bytes sum;
  for (const Segment& segment : segments) sum += segment.bytes;
  return sum.value([&] { return between(from, to); });
}

std::vector<Message> outgoing(const Geometry& geometry, subdomain_id subdomain) {
  return messages(geometry, subdomain, Role::sender);
}

std::vector<Message> incoming(const Geometry& geometry, subdomain_id subdomain) {
  return messages(geometry, subdomain, Role::receiver);
}

Flow flow_of(const Message& message) { return {message.from, message.to, message.bytes(), bytes_once(message)}; }

std::vector<Flow> outgoing_flows(const Geometry& geometry, subdomain_id subdomain) {
  std::vector<Flow> flows;
  if (geometry.gather || may_share_cells(geometry)) {
    for (const Message& message : outgoing(geometry, subdomain)) flows.push_back(flow_of(message));
    return flows;
  }
  for_each_other(ways(geometry, subdomain, Role::sender), [&](auto begin, auto end) {
    const subdomain_id to = begin->other.subdomain;
    Bytes sum;
    for (std::size_t f = 0; f < geometry.fields.size(); ++f) {
      const field_id field(static_cast<std::int64_t>(f));
      for (auto way = begin; way != end; ++way) {
        sum += bytes_in(geometry, field, geometry.halo(field, to, way->direction.opposite()), way->direction);
      }
    }
    const std::int64_t bytes = sum.value([&] { return between(subdomain, to); });
    if (bytes > 0) flows.push_back({subdomain, to, bytes, bytes});
  });
  return flows;
}

}  // namespace halocline::partition
