#include "halocline/partition/halo.hpp"

#include <algorithm>

namespace halocline::partition {
namespace {

/// Who is met at the other end of what is sent towards a direction.
struct Way {
  Neighbour other;
  Direction direction;  ///< that of the sender, at both ends
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

std::int64_t bytes_per_cell(const FieldDescriptor& field) { return bytes_of(field.element) * field.components; }

std::vector<Message> messages(const Geometry& geometry, subdomain_id subdomain, Role role) {
  std::vector<Message> all;
  for_each_other(ways(geometry, subdomain, role), [&](auto begin, auto end) {
    const subdomain_id other = begin->other.subdomain;
    Message message{role == Role::sender ? subdomain : other, role == Role::sender ? other : subdomain, {}};
    for (std::size_t f = 0; f < geometry.fields.size(); ++f) {
      const field_id field(static_cast<std::int64_t>(f));
      for (auto way = begin; way != end; ++way) {
        const Box target = geometry.halo(field, message.to, way->direction.opposite());
        if (target.empty()) continue;
        // The shift leads from the other's frame to this subdomain's; a target is in the receiver's.
        const Vec3 shift = role == Role::sender ? way->other.shift : Vec3{} - way->other.shift;
        message.segments.push_back({field, way->direction, target.shifted(shift), target,
                                    target.volume() * bytes_per_cell(geometry.fields[f])});
      }
    }
    if (!message.segments.empty()) all.push_back(std::move(message));
  });
  return all;
}

}  // namespace

std::int64_t Message::bytes() const {
  std::int64_t sum = 0;
  for (const Segment& segment : segments) sum += segment.bytes;
  return sum;
}

std::vector<Message> outgoing(const Geometry& geometry, subdomain_id subdomain) {
  return messages(geometry, subdomain, Role::sender);
}

std::vector<Message> incoming(const Geometry& geometry, subdomain_id subdomain) {
  return messages(geometry, subdomain, Role::receiver);
}

std::vector<Flow> outgoing_flows(const Geometry& geometry, subdomain_id subdomain) {
  std::vector<Flow> flows;
  for_each_other(ways(geometry, subdomain, Role::sender), [&](auto begin, auto end) {
    Flow flow{subdomain, begin->other.subdomain, 0};
    for (std::size_t f = 0; f < geometry.fields.size(); ++f) {
      const std::int64_t bytes = bytes_per_cell(geometry.fields[f]);
      for (auto way = begin; way != end; ++way) {
        const field_id field(static_cast<std::int64_t>(f));
        flow.bytes += geometry.halo(field, flow.to, way->direction.opposite()).volume() * bytes;
      }
    }
    if (flow.bytes > 0) flows.push_back(flow);
  });
  return flows;
}

}  // namespace halocline::partition
