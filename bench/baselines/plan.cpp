// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/plan.hpp"

#include <algorithm>
#include <string>

#include "halocline/error.hpp"

namespace halocline::bench {
namespace {

constexpr std::int64_t quad = 4;
constexpr std::int64_t part_alignment = 32;

std::int64_t rounded(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

struct Box {
  Vec3 at;
  Vec3 size;
};

/// Owned cells next to the side that lies in a direction; whole in dimensions where the direction is 0.
Box owned_towards(const Workload& w, const Vec3& d) {
  Box box;
  for (int dim = 0; dim < 3; ++dim) {
    box.size[dim] = d[dim] == 0 ? w.cells[dim] : w.radius;
    box.at[dim] = d[dim] > 0 ? w.cells[dim] - w.radius : 0;
  }
  return box;
}

Box halo_towards(const Workload& w, const Vec3& d) {
  Box box = owned_towards(w, d);
  for (int dim = 0; dim < 3; ++dim) box.at[dim] = d[dim] > 0 ? w.cells[dim] : (d[dim] < 0 ? -w.radius : 0);
  return box;
}

Vec3 opposite(const Vec3& d) { return Vec3{} - d; }

/// Rows begin and end with whole sectors, and so do their halos.
bool has_whole_sectors(const Workload& w) { return w.cells.x % sector == 0 && w.radius <= sector; }

/// Rows of a few cells go as planes, one for each place in the row, so that neighbouring threads write neighbouring cells.
bool goes_as_planes(const Workload& w, const Vec3& d) { return d.x != 0 && has_whole_sectors(w) && w.radius <= quad; }

/// Of a message: owned cells towards a direction across cuts.
struct Part {
  Vec3 towards;
  std::int64_t peer;
  Box box;
  Place place;  ///< of the box in its message
};

std::int64_t elements_of(const Workload& w, const Part& part) {
  return rounded(part.place.field * w.fields, part_alignment);
}

/// By peer, then by direction. The same on both ends, as the receiver lists its neighbour's parts.
std::vector<Part> parts_of(const Workload& w, std::int64_t block) {
  const Vec3 position = position_of(w, block);
  std::vector<Part> parts;
  for (const Direction d : all_directions) {
    if (across_cuts(w, d.vec()) != d.vec()) continue;
    Part part{d.vec(), neighbour_of(w, position, d.vec()), owned_towards(w, d.vec()), {}};
    const Vec3& size = part.box.size;
    part.place.field = rounded(size.volume(), quad);
    if (goes_as_planes(w, part.towards)) {
      part.place.x = size.y * size.z;
      part.place.y = 1;
      part.place.z = size.y;
    } else {
      part.place.y = size.x;
      part.place.z = size.x * size.y;
    }
    parts.push_back(part);
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.peer < b.peer; });
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == 0 || parts[i].peer != parts[i - 1].peer) offset = 0;
    parts[i].place.offset = offset;
    offset += elements_of(w, parts[i]);
  }
  return parts;
}

Place in_arrays(const ArrayLayout& arrays, const Vec3& at) {
  return {arrays.at(at), arrays.field, 1, arrays.y, arrays.z};
}

Place in_part(const Part& part, const Vec3& at) {
  const Vec3 inside = at - part.box.at;
  Place place = part.place;
  place.offset += inside.x * place.x + inside.y * place.y + inside.z * place.z;
  return place;
}

/// Where the row's first cell lies in its quad.
std::uint32_t shift_of(std::int64_t x) { return static_cast<std::uint32_t>((x % quad + quad) % quad); }

/// Between rows that are whole in x, or with a thin halo that is widened to whole quads: the cells that come in addition are
/// padding of the destination.
PlannedCopy along_rows(const Workload& w, int message, Place from, Place to, Vec3 size, std::int64_t side_x) {
  PlannedCopy copy{message, from, to, size};
  if (!has_whole_sectors(w)) return copy;
  copy.item = Item::quads;
  if (side_x == 0) return copy;
  const std::int64_t more = rounded(w.radius, quad) - w.radius;
  copy.size.x += more;
  if (side_x < 0) {
    copy.from.offset -= more;
    copy.to.offset -= more;
  }
  return copy;
}

PlannedCopy packed(const Workload& w, const ArrayLayout& arrays, int message, const Part& part) {
  const Place from = in_arrays(arrays, part.box.at);
  if (!goes_as_planes(w, part.towards)) {
    PlannedCopy copy{message, from, part.place, part.box.size};
    if (part.towards.x == 0 && has_whole_sectors(w)) copy.item = Item::quads;
    return copy;
  }
  return {message, from, part.place, part.box.size, Item::rows_out, shift_of(part.box.at.x)};
}

/// Copies to the lower and to the upper halo of the same rows as one copy of whole sectors.
PlannedCopy both_ends(const Workload& w, PlannedCopy copy, const PlannedCopy& upper) {
  const std::int64_t padding = sector - w.radius;
  copy.item = w.grid.x == 1 ? Item::ends : Item::rows_in;
  copy.to.offset -= padding;
  if (copy.item == Item::ends) copy.from.offset -= padding;
  copy.upper_message = upper.message;
  copy.from_upper = upper.from.offset;
  copy.to_upper = upper.to.offset;
  return copy;
}

int index_of(const Plan& plan, std::int64_t peer) {
  for (std::size_t m = 0; m < plan.messages.size(); ++m) {
    if (plan.messages[m].peer == peer) return static_cast<int>(m);
  }
  throw InternalError("no message with block " + std::to_string(peer));
}

void add_messages(const Workload& w, const std::vector<Part>& parts, Plan& plan) {
  for (const Part& part : parts) {
    if (plan.messages.empty() || plan.messages.back().peer != part.peer) {
      plan.messages.push_back({part.peer, plan.buffer_elements, 0});
    }
    plan.messages.back().elements += elements_of(w, part);
    plan.buffer_elements += elements_of(w, part);
    plan.bytes_out += part.box.size.volume() * w.fields * std::int64_t{sizeof(float)};
  }
}

}  // namespace

ArrayLayout::ArrayLayout(const Workload& w)
    : lead(rounded(w.radius, sector)),
      skew(w.cells.x % (2 * sector) == 0 ? sector : 0),
      y(rounded(lead + w.cells.x + lead, sector)),
      z(y * (w.cells.y + 2 * w.radius)),
      field(rounded(skew + z * (w.cells.z + 2 * w.radius), 2 * sector)),
      elements(field * w.fields),
      radius(w.radius) {}

Plan plan_of(const Workload& w, std::int64_t block) {
  const ArrayLayout arrays(w);
  const Vec3 position = position_of(w, block);
  Plan plan;
  const std::vector<Part> own = parts_of(w, block);
  add_messages(w, own, plan);
  for (const Part& part : own) plan.pack.push_back(packed(w, arrays, index_of(plan, part.peer), part));

  // The halo in direction h, from the block itself or from what has arrived.
  const auto fill = [&](const Vec3& h) {
    const Vec3 across = across_cuts(w, h);
    const Box halo = halo_towards(w, h);
    const Vec3 source = owned_towards(w, opposite(h)).at;
    PlannedCopy copy{-1, in_arrays(arrays, source), in_arrays(arrays, halo.at), halo.size};
    if (h.x == 0 && has_whole_sectors(w)) copy.item = Item::quads;
    if (across == Vec3{}) return copy;
    const std::int64_t sender = neighbour_of(w, position, across);
    const std::vector<Part> theirs = parts_of(w, sender);
    const auto part =
        std::find_if(theirs.begin(), theirs.end(), [&](const Part& one) { return one.towards == opposite(across); });
    copy.message = index_of(plan, sender);
    copy.from = in_part(*part, source);
    return copy;
  };
  const bool has_ends = has_whole_sectors(w) && (w.grid.x == 1 || goes_as_planes(w, {1, 0, 0}));
  for (const Direction direction : all_directions) {
    const Vec3 h = direction.vec();
    const Vec3 across = across_cuts(w, h);
    if (h.x <= 0 || !has_ends) {
      const PlannedCopy copy = fill(h);
      auto& copies = across == Vec3{} ? plan.wrap : plan.unpack;
      copies.push_back(h.x == 0 || !has_ends ? copy : both_ends(w, copy, fill({1, h.y, h.z})));
    }
    if (across == Vec3{}) continue;
    const std::int64_t receiver = neighbour_of(w, position, opposite(across));
    const Box halo = halo_towards(w, h);
    const Place source = in_arrays(arrays, owned_towards(w, opposite(h)).at);
    plan.direct.push_back(along_rows(w, index_of(plan, receiver), source, in_arrays(arrays, halo.at), halo.size, h.x));
  }
  return plan;
}

const Message& message_with(const Plan& plan, std::int64_t peer) {
  return plan.messages[static_cast<std::size_t>(index_of(plan, peer))];
}

std::vector<Copy> bound(const std::vector<PlannedCopy>& copies, const Start& from, const Start& to) {
  std::vector<Copy> all;
  for (const PlannedCopy& one : copies) {
    Copy copy;
    copy.from = {from(one.message) + one.from.offset, one.from.field, one.from.x, one.from.y, one.from.z};
    copy.to = {to(one.message) + one.to.offset, one.to.field, one.to.x, one.to.y, one.to.z};
    copy.nx = static_cast<std::uint32_t>(one.size.x);
    copy.ny = static_cast<std::uint32_t>(one.size.y);
    copy.nz = static_cast<std::uint32_t>(one.size.z);
    copy.item = one.item;
    copy.shift = one.shift;
    if (one.item == Item::ends || one.item == Item::rows_in) {
      copy.from_upper = from(one.upper_message) + one.from_upper - copy.from.base;
      copy.to_upper = to(one.upper_message) + one.to_upper - copy.to.base;
    }
    all.push_back(copy);
  }
  return all;
}

Job job_of(const std::vector<Copy>& copies, int fields) {
  if (copies.size() > most_copies) throw InternalError("a launch of " + std::to_string(copies.size()) + " copies");
  Job job;
  job.fields = fields;
  for (const Copy& one : copies) {
    Copy& copy = job.copy[job.copies++];
    copy = one;
    copy.first_tile = job.tiles;
    job.tiles += (copy.items() + items_a_tile - 1) / items_a_tile;
  }
  return job;
}

}  // namespace halocline::bench
