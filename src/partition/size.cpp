// SPDX-License-Identifier: BSD-3-Clause
#include "partition/size.hpp"

#include <fmt/core.h>

#include "core/bytes.hpp"
#include "core/limits.hpp"

namespace halocline::partition {
namespace {

/// Of all subdomains. A subdomain has a slab's thickness and the two halos in each dimension, so the sum over subdomains is a
/// product over dimensions.
Bytes bytes_of_field(const Geometry& geometry, field_id id) {
  const FieldDescriptor& field = geometry.fields[id.index()];
  const HaloWidth& halo = geometry.halo_of(id);
  Bytes bytes(bytes_of(field.element));
  for (int dim = 0; dim < 3; ++dim) {
    Bytes along(halo.lower()[dim]);
    along += halo.upper()[dim];
    along *= geometry.partition.grid()[dim];
    along += geometry.partition.extent()[dim];
    const auto d = static_cast<std::size_t>(dim);
    if (field.staggered[d] && geometry.boundaries[d] == Boundary::open) along += 1;
    bytes *= along;
  }
  return bytes * field.components * field.buffers;
}

}  // namespace

void check_size(const Geometry& geometry) {
  Bytes bytes;
  for (std::size_t f = 0; f < geometry.fields.size(); ++f) {
    bytes += bytes_of_field(geometry, field_id(static_cast<std::int64_t>(f)));
  }
  const auto what = [&] {
    const std::size_t fields = geometry.fields.size();
    return fmt::format("memory for {} field{} of {} cells, cut into {}, with halos of width {},", fields,
                       fields == 1 ? "" : "s", to_string(geometry.partition.extent()),
                       to_string(geometry.partition.grid()), to_string(geometry.halo_of_domain));
  };
  static_cast<void>(bytes.value(what, limits::domain_bytes));
}

}  // namespace halocline::partition
