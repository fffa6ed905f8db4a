// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "halocline/error.hpp"
#include "partition/detail/grids.hpp"
#include "partition/halo.hpp"

namespace halocline::partition {
namespace {

const FieldDescriptor& descriptor(const Geometry& geometry, field_id field) {
  if (!field.valid() || field.index() >= geometry.fields.size()) {
    throw InvalidArgument(fmt::format("field is {}; allowed are 0 to {}", field.value(),
                                      static_cast<std::int64_t>(geometry.fields.size()) - 1));
  }
  return geometry.fields[field.index()];
}

bool periodic(const Geometry& geometry, int dim) {
  return geometry.boundaries[static_cast<std::size_t>(dim)] != Boundary::open;
}

/// One more layer at the upper end of dimension dim?
bool longer(const Geometry& geometry, const FieldDescriptor& field, int dim) {
  return field.staggered[static_cast<std::size_t>(dim)] && !periodic(geometry, dim);
}

void check_fits(const Geometry& geometry, field_id field, int dim) {
  const HaloWidth& halo = geometry.halo_of(field);
  const FieldDescriptor& f = geometry.fields[field.index()];
  const std::vector<std::int64_t>& cuts = geometry.partition.cuts(dim);
  const std::size_t parts = cuts.size() - 1;
  for (std::size_t part = 0; part < parts; ++part) {
    const bool last = part + 1 == parts;
    const std::int64_t thickness = cuts[part + 1] - cuts[part] + (last && longer(geometry, f, dim) ? 1 : 0);
    // The subdomain above reads its lower halo from here, the one below its upper halo.
    const std::int64_t to_above = !last || periodic(geometry, dim) ? halo.lower()[dim] : 0;
    const std::int64_t to_below = part > 0 || periodic(geometry, dim) ? halo.upper()[dim] : 0;
    const std::int64_t needed = std::max(to_above, to_below);
    if (thickness < needed) {
      throw InvalidArgument(
          fmt::format("subdomain {} of {} in {} is {} cells thick; allowed is {} or more, which field '{}' "
                      "(halo {}) reads from it; an extent of {} cells cut evenly would fit",
                      part, parts, "xyz"[dim], thickness, needed, f.name, to_string(halo),
                      detail::product_for_text(needed, static_cast<std::int64_t>(parts))));
    }
  }
}

}  // namespace

bool detail::wraps(const Boundaries& boundaries, const Vec3& grid, int dim) {
  return boundaries[static_cast<std::size_t>(dim)] == Boundary::periodic_in_kernel && grid[dim] == 1;
}

Stencil widest_stencil(const std::vector<FieldDescriptor>& fields, const Stencil& domain) {
  Vec3 lower;
  Vec3 upper;
  const auto widen = [&](const Stencil& stencil) {
    for (int dim = 0; dim < 3; ++dim) {
      lower[dim] = std::max(lower[dim], stencil.lower()[dim]);
      upper[dim] = std::max(upper[dim], stencil.upper()[dim]);
    }
  };
  if (fields.empty()) widen(domain);
  for (const auto& field : fields) widen(field.stencil.value_or(domain));
  return Stencil::per_side(lower, upper);
}

Geometry::Geometry(Partition partition_in, std::vector<FieldDescriptor> fields_in, const Stencil& stencil_in,
                   const Boundaries& boundaries_in, int steps)
    : partition(std::move(partition_in)), fields(std::move(fields_in)), stencil(stencil_in), boundaries(boundaries_in) {
  const Stencil widest = widest_stencil(fields, stencil);
  const auto halo_for = [&](const Stencil& of) {
    return detail::without_wrapped(halo_width(of, widest, steps), boundaries, partition.grid());
  };
  halo_of_domain = halo_for(stencil);
  widest_halo = halo_for(widest);
  for (const auto& field : fields) halos_.push_back(field.stencil ? halo_for(*field.stencil) : halo_of_domain);
}

bool Geometry::wraps(int dim) const { return detail::wraps(boundaries, partition.grid(), dim); }

Stencil Geometry::beyond_box(const Stencil& of) const {
  return detail::without_wrapped(of, boundaries, partition.grid());
}

Stencil Geometry::stencil_of(field_id field) const {
  return beyond_box(descriptor(*this, field).stencil.value_or(stencil));
}

const HaloWidth& Geometry::halo_of(field_id field) const {
  static_cast<void>(descriptor(*this, field));  // refuses one that is not there
  return halos_.at(field.index());
}

Box Geometry::domain_box(field_id field) const {
  const FieldDescriptor& f = descriptor(*this, field);
  Box box = Box::of_extent(partition.extent());
  for (int dim = 0; dim < 3; ++dim) {
    if (longer(*this, f, dim)) ++box.hi[dim];
  }
  return box;
}

Box Geometry::owned(field_id field, subdomain_id subdomain) const {
  const FieldDescriptor& f = descriptor(*this, field);
  Box box = partition.box_of(subdomain);
  for (int dim = 0; dim < 3; ++dim) {
    if (longer(*this, f, dim) && box.hi[dim] == partition.extent()[dim]) ++box.hi[dim];
  }
  return box;
}

Box Geometry::with_halo(field_id field, subdomain_id subdomain) const {
  const HaloWidth& r = halo_of(field);
  return owned(field, subdomain).grown(r.lower(), r.upper());
}

Box Geometry::halo(field_id field, subdomain_id subdomain, Direction d) const {
  const HaloWidth& r = halo_of(field);
  if (!r.has(d)) return {};
  Box box = owned(field, subdomain);
  const Vec3 width = r.width(d);
  for (int dim = 0; dim < 3; ++dim) {
    if (d[dim] < 0) {
      box.hi[dim] = box.lo[dim];
      box.lo[dim] -= width[dim];
    } else if (d[dim] > 0) {
      box.lo[dim] = box.hi[dim];
      box.hi[dim] += width[dim];
    }
  }
  return box;
}

std::optional<Neighbour> neighbour(const Geometry& geometry, subdomain_id subdomain, Direction d) {
  const Vec3 grid = geometry.partition.grid();
  Vec3 index = geometry.partition.index_of(subdomain) + d.vec();
  Vec3 shift;
  for (int dim = 0; dim < 3; ++dim) {
    if (index[dim] >= 0 && index[dim] < grid[dim]) continue;
    if (!periodic(geometry, dim)) return std::nullopt;
    shift[dim] = d[dim] * geometry.partition.extent()[dim];
    index[dim] -= d[dim] * grid[dim];
  }
  return Neighbour{geometry.partition.at(index), shift};
}

void check_fits(const Geometry& geometry) {
  for (std::size_t f = 0; f < geometry.fields.size(); ++f) {
    for (int dim = 0; dim < 3; ++dim) check_fits(geometry, field_id(static_cast<std::int64_t>(f)), dim);
  }
}

}  // namespace halocline::partition
