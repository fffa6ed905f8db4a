// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "contender.hpp"
#include "halocline/direction.hpp"

namespace halocline::bench {

/// A rank's part of the domain as codes without a library keep it: one dense array, halo included, x fastest.
class DenseBlock : public Contender {
 public:
  explicit DenseBlock(const Workload& workload);
  void fill() override;
  [[nodiscard]] std::int64_t wrong_cells() override;

 protected:
  /// Cells of the array, from its first halo cell.
  struct Part {
    Vec3 at;
    Vec3 size;
  };
  /// Owned cells that are sent towards d, and the halo that they fill at the receiver: on its side -d.
  [[nodiscard]] Part sent_towards(Direction d) const;
  [[nodiscard]] Part filled_by(Direction d) const;
  [[nodiscard]] int neighbour(int rank, Direction d) const;
  /// Copies the cells that are sent towards d into the halo that they fill, in a block like this one.
  void copy_towards(Direction d, double* block);
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] const Vec3& extent() const { return extent_; }
  /// In this memory of extent().volume() cells, instead of the block's own.
  void keep_cells_at(double* cells);
  [[nodiscard]] double* data() { return data_; }
  [[nodiscard]] std::int64_t offset(const Vec3& p) const { return (p.z * extent_.y + p.y) * extent_.x + p.x; }
  [[nodiscard]] double& cell(const Vec3& p) { return data_[offset(p)]; }

 private:
  [[nodiscard]] Vec3 place_of(int rank) const;
  [[nodiscard]] Vec3 global(const Vec3& p) const;
  Workload workload_;
  int rank_ = 0;
  Vec3 me_;  ///< place in the grid of ranks
  Vec3 extent_;
  std::vector<double> cells_;  ///< the block's own
  double* data_ = nullptr;
};

}  // namespace halocline::bench
