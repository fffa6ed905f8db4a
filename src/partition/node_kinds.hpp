// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "partition/halo.hpp"

namespace halocline::partition {

/// Node parts that differ in nothing but their place are of one kind: in each dimension their slabs and the neighbouring slabs have
/// equal thicknesses, and both or neither end at open boundaries. What part i of such a node sends to part j of it, and how much leaves the
/// node, is then the same. Cut evenly, a dimension has no more kinds of places than a node has slabs there plus 5, however
/// many nodes there are. Time and memory: the sum of the grid's dimensions, and the kinds.
class NodeKinds {
 public:
  struct Kind {
    std::int64_t node_part = 0;  ///< one that stands for all
    std::int64_t count = 0;
  };

  explicit NodeKinds(const Geometry& geometry);

  [[nodiscard]] const std::vector<Kind>& all() const { return kinds_; }
  /// Position in all() of a node part's kind, in a geometry that has the same partition.
  [[nodiscard]] std::size_t of(const Partition& partition, std::int64_t node_part) const;

 private:
  struct Place {
    std::int64_t node = 0;  ///< the first one
    std::int64_t count = 0;
  };
  struct Dimension {
    std::vector<Place> places;          ///< those that differ
    std::vector<std::size_t> place_of;  ///< by position in the grid of nodes
  };
  static Dimension along(const Geometry& geometry, int dim);

  std::array<Dimension, 3> dimensions_;
  std::vector<Kind> kinds_;  ///< the place in z varies fastest
};

}  // namespace halocline::partition
