// SPDX-License-Identifier: BSD-3-Clause
#include "partition/node_kinds.hpp"

#include <map>

namespace halocline::partition {

NodeKinds::Dimension NodeKinds::along(const Geometry& geometry, int dim) {
  const std::vector<std::int64_t>& cuts = geometry.partition.cuts(dim);
  const auto slabs = static_cast<std::int64_t>(cuts.size()) - 1;
  const bool open = geometry.boundaries[static_cast<std::size_t>(dim)] == Boundary::open;
  const auto thickness = [&](std::int64_t slab) -> std::int64_t {
    if (open && (slab < 0 || slab >= slabs)) return -1;
    const auto at = static_cast<std::size_t>((slab + slabs) % slabs);
    return cuts[at + 1] - cuts[at];
  };
  const std::int64_t of_node = geometry.partition.device_grid()[dim];
  const std::int64_t nodes = geometry.partition.node_grid()[dim];
  std::map<std::vector<std::int64_t>, Place> found;
  std::vector<const Place*> places;
  for (std::int64_t node = 0; node < nodes; ++node) {
    std::vector<std::int64_t> seen;
    for (std::int64_t slab = node * of_node - 1; slab <= (node + 1) * of_node; ++slab) seen.push_back(thickness(slab));
    Place& place = found.try_emplace(std::move(seen), Place{node, 0}).first->second;
    ++place.count;
    places.push_back(&place);
  }
  Dimension dimension;
  std::map<const Place*, std::size_t> position;
  for (const auto& [seen, place] : found) {
    position[&place] = dimension.places.size();
    dimension.places.push_back(place);
  }
  for (const Place* place : places) dimension.place_of.push_back(position.at(place));
  return dimension;
}

NodeKinds::NodeKinds(const Geometry& geometry)
    : dimensions_{along(geometry, 0), along(geometry, 1), along(geometry, 2)} {
  const Partition& partition = geometry.partition;
  for (const Place& x : dimensions_[0].places) {
    for (const Place& y : dimensions_[1].places) {
      for (const Place& z : dimensions_[2].places) {
        const subdomain_id first = partition.at(Vec3{x.node, y.node, z.node} * partition.device_grid());
        kinds_.push_back({partition.node_part_of(first), x.count * y.count * z.count});
      }
    }
  }
}

std::size_t NodeKinds::of(const Partition& partition, std::int64_t node_part) const {
  const Vec3 index = partition.index_of(subdomain_id(node_part * partition.devices_per_node()));
  std::size_t kind = 0;
  for (int dim = 0; dim < 3; ++dim) {
    const Dimension& dimension = dimensions_[static_cast<std::size_t>(dim)];
    const auto node = static_cast<std::size_t>(index[dim] / partition.device_grid()[dim]);
    kind = kind * dimension.places.size() + dimension.place_of[node];
  }
  return kind;
}

}  // namespace halocline::partition
