// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/returned_halos.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/bytes.hpp"
#include "core/round_up.hpp"

namespace halocline::exchange {
namespace {

constexpr std::int64_t alignment = 128;

/// Swaps the halo's widths on opposite sides: cells that are sent towards +x come from an upper halo.
Stencil mirrored(const HaloWidth& halo) { return Stencil::per_side(halo.upper(), halo.lower()); }

Vec3 times(Direction d, const Vec3& width) { return d.vec() * width; }

/// Cuts a box where the other boxes begin and end.
std::vector<std::int64_t> positions(const std::vector<Box>& boxes, int dim) {
  std::vector<std::int64_t> at;
  for (const Box& box : boxes) {
    at.push_back(box.lo[dim]);
    at.push_back(box.hi[dim]);
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

/// Calls f(part, boxes that hold it, by number) for disjoint parts of the boxes' union.
template <typename F>
void for_each_part(const std::vector<Box>& boxes, F&& f) {
  const std::array cuts{positions(boxes, 0), positions(boxes, 1), positions(boxes, 2)};
  std::vector<std::size_t> holding;
  for (std::size_t z = 1; z < cuts[2].size(); ++z) {
    for (std::size_t y = 1; y < cuts[1].size(); ++y) {
      for (std::size_t x = 1; x < cuts[0].size(); ++x) {
        const Box part{{cuts[0][x - 1], cuts[1][y - 1], cuts[2][z - 1]}, {cuts[0][x], cuts[1][y], cuts[2][z]}};
        holding.clear();
        for (std::size_t i = 0; i < boxes.size(); ++i) {
          if (boxes[i].intersection(part) == part) holding.push_back(i);
        }
        if (!holding.empty()) f(part, holding);
      }
    }
  }
}

}  // namespace

partition::Geometry ReturnedHalos::geometry_of(const partition::Geometry& forward, std::vector<Origin>& origins) {
  std::vector<FieldDescriptor> fields;
  for (std::size_t f = 0; f < forward.fields.size(); ++f) {
    const FieldDescriptor& field = forward.fields[f];
    const field_id id(static_cast<std::int64_t>(f));
    const HaloWidth& halo = forward.halo_of(id);
    for (int buffer = 0; buffer < field.buffers; ++buffer) {
      for (const Direction side : all_directions) {
        const Direction towards = side.opposite();  // in which the exchange fills it
        if (!halo.has(side) || partition::components_sent(field, towards) == 0) continue;
        FieldDescriptor returned = field;
        returned.name = fmt::format("{}, halo on side {}", field.name, to_string(side));
        returned.stencil = mirrored(halo);
        returned.buffers = 1;
        returned.wire.reset();  // sums are of whole values
        returned.x_halos_apart = false;
        returned.component_directions.assign(static_cast<std::size_t>(field.components), {});
        for (int component = 0; component < field.components; ++component) {
          if (!partition::is_sent(field, component, towards)) continue;
          returned.component_directions[static_cast<std::size_t>(component)].set(
              static_cast<std::size_t>(side.index()));
        }
        fields.push_back(std::move(returned));
        origins.push_back({id, buffer, side});
      }
    }
  }
  return {forward.partition, std::move(fields), Stencil(), forward.boundaries};
}

ReturnedHalos::ReturnedHalos(const partition::Geometry& forward)
    : forward_(&forward), geometry_(geometry_of(forward, origins_)) {}

Vec3 ReturnedHalos::width_of(const Origin& origin) const { return forward_->halo_of(origin.field).width(origin.side); }

Box ReturnedHalos::landed(field_id returned, subdomain_id subdomain) const {
  const Direction side = origins_[returned.index()].side;
  if (!partition::neighbour(geometry_, subdomain, side.opposite())) return {};
  return geometry_.halo(returned, subdomain, side.opposite());
}

std::int64_t ReturnedHalos::bytes(subdomain_id subdomain) const {
  Bytes all;
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    // One buffer of a field is returned at a time.
    if (origins_[i].buffer != 0) continue;
    const FieldDescriptor& field = geometry_.fields[i];
    const Vec3 extent = landed(field_id(static_cast<std::int64_t>(i)), subdomain).extent();
    all += (Bytes(bytes_of(field.element)) * field.components * extent.x * extent.y * extent.z)
               .aligned_to(alignment)
               .value([&] { return fmt::format("memory for {}", field.name); });
  }
  return all.value([&] { return fmt::format("memory for what returns to subdomain {}", subdomain.value()); });
}

/// The halo on a side as an array: its first cell stands at the owned cell that is the halo's width from there.
Array ReturnedHalos::sent_array(const LocalSubdomain& forward, const Origin& origin) const {
  const Array& array = forward.arrays[origin.field.index()][static_cast<std::size_t>(origin.buffer)];
  const Box owned = forward_->owned(origin.field, forward.id);
  const Vec3 moved = times(origin.side, width_of(origin));
  // Beside the first owned row, and so in the halo if it is stored apart.
  const Vec3 beside{origin.side[0] < 0   ? owned.lo.x - 1
                    : origin.side[0] > 0 ? owned.hi.x
                                         : owned.lo.x,
                    owned.lo.y, owned.lo.z};
  const StridedCells cells = array.cells_at(beside, owned);
  const auto& [x, y, z] = cells.stride_bytes;
  return {cells.at(owned.lo + moved - beside), {x, y, z}, cells.component_stride_bytes};
}

LocalSubdomain ReturnedHalos::local(const LocalSubdomain& forward, const device::ShareableBuffer& memory) const {
  LocalSubdomain local{forward.id, forward.device, {}, {}, &memory};
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    const Origin& origin = origins_[i];
    const field_id returned(static_cast<std::int64_t>(i));
    local.arrays.push_back({sent_array(forward, origin)});

    if (origin.buffer != 0) {  // the sides of buffer 0 come in the same order, and before
      const auto same = std::ranges::find_if(origins_, [&](const Origin& other) {
        return other.field == origin.field && other.buffer == 0 && other.side == origin.side;
      });
      local.received.push_back(local.received[static_cast<std::size_t>(same - origins_.begin())]);
      continue;
    }
    const FieldDescriptor& field = geometry_.fields[i];
    const Box box = landed(returned, forward.id);
    const std::int64_t element = bytes_of(field.element);
    const Vec3 extent = box.extent();
    Array receive_buffer;
    receive_buffer.stride_bytes = {element, element * extent.x, element * extent.x * extent.y};
    receive_buffer.component_stride_bytes = element * extent.volume();
    const Vec3 first = geometry_.owned(returned, forward.id).lo - box.lo;
    receive_buffer.origin = memory.data() + offset + first.x * receive_buffer.stride_bytes[0] +
                            first.y * receive_buffer.stride_bytes[1] + first.z * receive_buffer.stride_bytes[2];
    offset += round_up(receive_buffer.component_stride_bytes * field.components, alignment);
    local.received.push_back({receive_buffer});
  }
  return local;
}

Selection ReturnedHalos::selection(const Selection& forward) const {
  Selection selection;
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    const Origin& origin = origins_[i];
    for (const Selection::Item& item : forward.items) {
      if (item.field != origin.field || item.buffer != origin.buffer) continue;
      if (!item.directions.test(static_cast<std::size_t>(origin.side.opposite().index()))) continue;
      selection.items.push_back({.field = field_id(static_cast<std::int64_t>(i))});
    }
  }
  return selection;
}

std::vector<ReturnedHalos::Arrival> ReturnedHalos::arrivals(subdomain_id subdomain, field_id field, int buffer,
                                                            const Selection& selection, bool in_place) const {
  std::vector<Arrival> found;
  for (const Selection::Item& item : selection.items) {
    const Origin& origin = origins_[item.field.index()];
    if (origin.field != field || origin.buffer != buffer) continue;
    const Box box = landed(item.field, subdomain);
    if (box.empty()) continue;
    const Vec3 back = times(origin.side, width_of(origin));
    Arrival arrival{item.field, origin.side, box.shifted(back), Vec3{} - back};
    const auto sender = partition::neighbour(geometry_, subdomain, origin.side.opposite());
    if (in_place && sender->subdomain == subdomain) {
      arrival.in_place = true;
      arrival.from_owned = arrival.from_owned - sender->shift;
    }
    found.push_back(arrival);
  }
  std::ranges::stable_sort(found, {}, [](const Arrival& arrival) { return arrival.side.order(); });
  return found;
}

namespace {

/// Address of cell p of a component of an array whose origin is owned.lo.
std::byte* address(const Array& array, const Box& owned, const Vec3& p, int component) {
  const Vec3 step = p - owned.lo;
  return array.origin + step.x * array.stride_bytes[0] + step.y * array.stride_bytes[1] +
         step.z * array.stride_bytes[2] + component * array.component_stride_bytes;
}

}  // namespace

ReturnedHalos::Sums ReturnedHalos::sums(const LocalSubdomain& forward, const LocalSubdomain& local,
                                        const Selection& selection, bool in_place) const {
  Sums all;
  for (std::size_t f = 0; f < forward_->fields.size(); ++f) {
    const field_id field(static_cast<std::int64_t>(f));
    const FieldDescriptor& descriptor = forward_->fields[f];
    const Box owned = forward_->owned(field, forward.id);
    for (int buffer = 0; buffer < descriptor.buffers; ++buffer) {
      const std::vector<Arrival> arrived = arrivals(forward.id, field, buffer, selection, in_place);
      const Array& target = forward.arrays[f][static_cast<std::size_t>(buffer)];
      for (int component = 0; component < descriptor.components; ++component) {
        std::vector<const Arrival*> its;
        std::vector<Box> boxes;
        for (const Arrival& arrival : arrived) {
          if (!partition::is_sent(geometry_.fields[arrival.returned.index()], component, arrival.side)) continue;
          its.push_back(&arrival);
          boxes.push_back(arrival.owned);
        }
        for_each_part(boxes, [&](const Box& part, const std::vector<std::size_t>& holding) {
          device::StridedSum sum{.target = address(target, owned, part.lo, component),
                                 .target_stride = target.stride_bytes,
                                 .extent = part.extent(),
                                 .element = descriptor.element,
                                 .terms = {}};
          bool own = true;
          for (const std::size_t i : holding) {
            const Arrival& arrival = *its[i];
            const Array& array = (arrival.in_place ? local.arrays : local.received)[arrival.returned.index()].front();
            sum.terms.push_back({address(array, owned, part.lo + arrival.from_owned, component), array.stride_bytes});
            own = own && arrival.in_place;
          }
          (own ? all.own : all.arrived).push_back(std::move(sum));
        });
      }
    }
  }
  return all;
}

std::vector<device::StridedCopy> ReturnedHalos::replacing(const std::vector<device::StridedSum>& sums) {
  std::vector<device::StridedCopy> all;
  for (const device::StridedSum& sum : sums) {
    const device::StridedSum::Term& last = sum.terms.back();
    all.push_back({.source = last.first,
                   .target = sum.target,
                   .source_stride = last.stride,
                   .target_stride = sum.target_stride,
                   .extent = sum.extent,
                   .element_bytes = bytes_of(sum.element)});
  }
  return all;
}

}  // namespace halocline::exchange
