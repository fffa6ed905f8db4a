#include "model/node_kinds.hpp"

#include <map>

namespace halocline::model {
namespace {

using partition::Geometry;

/// A place along one dimension in the grid of nodes, and how many are like it.
struct Place {
  std::int64_t node = 0;
  std::int64_t count = 0;
};

std::vector<Place> places_along(const Geometry& geometry, int dim) {
  const std::vector<std::int64_t>& cuts = geometry.partition.cuts(dim);
  const auto slabs = static_cast<std::int64_t>(cuts.size()) - 1;
  const bool open = geometry.boundaries[static_cast<std::size_t>(dim)] == Boundary::open;
  const auto thickness = [&](std::int64_t slab) -> std::int64_t {
    if (open && (slab < 0 || slab >= slabs)) return -1;
    const auto at = static_cast<std::size_t>((slab + slabs) % slabs);
    return cuts[at + 1] - cuts[at];
  };
  const std::int64_t of_node = geometry.partition.device_grid()[dim];
  std::map<std::vector<std::int64_t>, Place> found;
  for (std::int64_t node = 0; node < geometry.partition.node_grid()[dim]; ++node) {
    std::vector<std::int64_t> seen;
    for (std::int64_t slab = node * of_node - 1; slab <= (node + 1) * of_node; ++slab) seen.push_back(thickness(slab));
    Place& place = found.try_emplace(seen, Place{node, 0}).first->second;
    ++place.count;
  }
  std::vector<Place> places;
  for (const auto& [seen, place] : found) places.push_back(place);
  return places;
}

std::vector<subdomain_id> subdomains_of(const partition::Partition& partition, const Vec3& node) {
  const Vec3 grid = partition.device_grid();
  std::vector<subdomain_id> all;
  for (std::int64_t z = 0; z < grid.z; ++z) {
    for (std::int64_t y = 0; y < grid.y; ++y) {
      for (std::int64_t x = 0; x < grid.x; ++x) all.push_back(partition.at(node * grid + Vec3{x, y, z}));
    }
  }
  return all;
}

}  // namespace

std::vector<NodeKind> node_kinds(const Geometry& geometry) {
  std::vector<NodeKind> kinds;
  for (const Place& x : places_along(geometry, 0)) {
    for (const Place& y : places_along(geometry, 1)) {
      for (const Place& z : places_along(geometry, 2)) {
        kinds.push_back({subdomains_of(geometry.partition, {x.node, y.node, z.node}), x.count * y.count * z.count});
      }
    }
  }
  return kinds;
}

}  // namespace halocline::model
