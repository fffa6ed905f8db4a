// SPDX-License-Identifier: BSD-3-Clause
// d3q19.cpp with two buffers and without Halocline, to compare: its own blocks, packed messages of the populations that cross, and
// interiors updated while messages are under way. On CPUs, with a block for each rank. mpirun -n 2 d3q19_mpi
#include <mpi.h>

#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

#include "d3q19_lattice.hpp"

namespace {

using lattice::Populations;
using Cell = std::array<int, 3>;
struct Box {
  Cell low, high;
};

/// The cells of a rank with a halo of one cell; cells are numbered from the block's first owned one.
class Block {
 public:
  explicit Block(MPI_Comm world) {
    int size = 0;
    MPI_Comm_size(world, &size);
    Cell grid{1, 0, 0}, periodic{1, 1, 1};  // rows are not cut
    MPI_Dims_create(size, 3, grid.data());
    MPI_Cart_create(world, 3, grid.data(), periodic.data(), 0, &cart_);
    int rank = 0;
    MPI_Comm_rank(cart_, &rank);
    Cell mine{};
    MPI_Cart_coords(cart_, rank, 3, mine.data());
    for (std::size_t d = 0; d < 3; ++d) {
      first_[d] = lattice::extent[d] * mine[d] / grid[d];
      n_[d] = lattice::extent[d] * (mine[d] + 1) / grid[d] - first_[d];
    }
    for (std::size_t side = 1; side < 19; ++side) {
      Side& to = sides_.emplace_back();
      Cell there{};
      for (std::size_t d = 0; d < 3; ++d) there[d] = mine[d] + lattice::velocities[side][d];
      MPI_Cart_rank(cart_, there.data(), &to.rank);
      for (std::size_t c = 1; c < 19; ++c) {
        if (crosses(lattice::velocities[c], lattice::velocities[side])) to.components.push_back(c);
        if (crosses(lattice::velocities[lattice::opposite(c)], lattice::velocities[side])) to.arriving.push_back(c);
      }
      for (std::size_t d = 0; d < 3; ++d) {
        const int e = lattice::velocities[side][d];
        to.owned.low[d] = e > 0 ? n_[d] - 1 : 0;
        to.owned.high[d] = e < 0 ? 1 : n_[d];
        to.halo.low[d] = e > 0 ? n_[d] : e < 0 ? -1 : 0;
        to.halo.high[d] = e > 0 ? n_[d] + 1 : e < 0 ? 0 : n_[d];
      }
      to.sent.resize(to.components.size() * volume(to.owned));
      to.received.resize(to.arriving.size() * volume(to.halo));
    }
    const std::size_t cells =
        static_cast<std::size_t>(n_[0] + 2) * static_cast<std::size_t>(n_[1] + 2) * static_cast<std::size_t>(n_[2] + 2);
    now_.resize(19 * cells);
    next_.resize(19 * cells);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { MPI_Comm_free(&cart_); }

  void initialise() {
    each(owned(), [&](const Cell& p) {
      const Populations start = lattice::equilibrium(1, lattice::velocity_of(0.02 * wave(p)));
      for (std::size_t c = 0; c < 19; ++c) now_[at(p, c)] = start[c];
    });
  }

  void step() {
    std::vector<MPI_Request> requests;
    for (std::size_t s = 0; s < 18; ++s) {  // the message to side s comes from the other's opposite side
      Side& side = sides_[s];
      MPI_Irecv(side.received.data(), static_cast<int>(side.received.size()), MPI_DOUBLE, side.rank,
                static_cast<int>(17 - s), cart_, &requests.emplace_back());
    }
    for (std::size_t s = 0; s < 18; ++s) {
      Side& side = sides_[s];
      std::size_t i = 0;
      for (const std::size_t c : side.components) {
        each(side.owned, [&](const Cell& p) { side.sent[i++] = now_[at(p, c)]; });
      }
      MPI_Isend(side.sent.data(), static_cast<int>(side.sent.size()), MPI_DOUBLE, side.rank, static_cast<int>(s), cart_,
                &requests.emplace_back());
    }
    const Box inner{{1, 1, 1}, {n_[0] - 1, n_[1] - 1, n_[2] - 1}};
    update(inner);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (const Side& side : sides_) {
      std::size_t i = 0;
      for (const std::size_t c : side.arriving) {
        each(side.halo, [&](const Cell& p) { now_[at(p, c)] = side.received[i++]; });
      }
    }
    Box rest = owned();
    for (std::size_t d = 3; d-- > 0;) {  // disjoint slabs around the interior
      Box low = rest, high = rest;
      low.high[d] = 1;
      high.low[d] = n_[d] - 1;
      update(low);
      update(high);
      rest.low[d] = 1;
      rest.high[d] = n_[d] - 1;
    }
    std::swap(now_, next_);
  }

  [[nodiscard]] double amplitude() const {
    double sum = 0, total = 0;
    each(owned(), [&](const Cell& p) {
      Populations all{};
      for (std::size_t c = 0; c < 19; ++c) all[c] = now_[at(p, c)];
      sum += lattice::part_of_amplitude(all, wave(p));
    });
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, cart_);
    return total;
  }

 private:
  struct Side {
    int rank = 0;
    std::vector<std::size_t> components, arriving;  // that cross it outwards, and inwards
    Box owned{}, halo{};
    std::vector<double> sent, received;
  };

  static bool crosses(const std::array<int, 3>& e, const std::array<int, 3>& side) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (side[d] != 0 && side[d] != e[d]) return false;
    }
    return true;
  }
  static std::size_t volume(const Box& box) {
    std::size_t cells = 1;
    for (std::size_t d = 0; d < 3; ++d) cells *= static_cast<std::size_t>(box.high[d] - box.low[d]);
    return cells;
  }
  template <typename F>
  static void each(const Box& box, F&& f) {
    for (int z = box.low[2]; z < box.high[2]; ++z) {
      for (int y = box.low[1]; y < box.high[1]; ++y) {
        for (int x = box.low[0]; x < box.high[0]; ++x) f(Cell{x, y, z});
      }
    }
  }
  [[nodiscard]] Box owned() const { return {{0, 0, 0}, n_}; }
  [[nodiscard]] double wave(const Cell& p) const {
    return lattice::wave(p[0] + first_[0], p[1] + first_[1], p[2] + first_[2]);
  }
  [[nodiscard]] std::size_t at(const Cell& p, std::size_t c) const {
    const auto n = [&](std::size_t d) { return static_cast<std::size_t>(n_[d] + 2); };
    const auto i = [&](std::size_t d) { return static_cast<std::size_t>(p[d] + 1); };
    return ((c * n(2) + i(2)) * n(1) + i(1)) * n(0) + i(0);
  }
  void update(const Box& box) {
    each(box, [&](const Cell& p) {
      Populations all{};
      for (std::size_t c = 0; c < 19; ++c) {
        const auto& e = lattice::velocities[c];
        all[c] = now_[at({p[0] - e[0], p[1] - e[1], p[2] - e[2]}, c)];
      }
      all = lattice::collide(all);
      for (std::size_t c = 0; c < 19; ++c) next_[at(p, c)] = all[c];
    });
  }

  MPI_Comm cart_ = MPI_COMM_NULL;
  Cell first_{}, n_{};
  std::vector<Side> sides_;
  std::vector<double> now_, next_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = false;
  {
    Block block(MPI_COMM_WORLD);
    block.initialise();
    double before = 0;
    for (int step = 0; step < lattice::last_step; ++step) {
      if (step == lattice::first_step) before = block.amplitude();
      block.step();
    }
    const double measured = lattice::measured_viscosity(before, block.amplitude());
    right = std::abs(measured / lattice::viscosity - 1) < 0.01;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::cout << "viscosity: " << measured << ", in theory " << lattice::viscosity << '\n';
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
