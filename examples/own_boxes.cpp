// SPDX-License-Identifier: BSD-3-Clause
// A code that keeps its own decomposition and its own arrays: uneven boxes of an MPI_Cart grid, arrays as in Fortran with
// halos of 2 cells. Halocline exchanges the halos of a heat equation; each cell is compared with the solution.
#include <halocline/halocline.hpp>
#include <halocline/mpi.hpp>

#include <array>
#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

namespace {

constexpr hc::Vec3 domain_extent{30, 36, 42};
constexpr std::int64_t halo = 2;  // of the arrays; the 7-point stencil reads 1
constexpr int steps = 20;
constexpr double diffusion = 0.1;

/// Of one of the ranks along a dimension: slabs grow, with one share for the first, two for the second, and so on.
std::int64_t first_cell(std::int64_t cells, int parts, int part) {
  return cells * part * (part + 1) / (static_cast<std::int64_t>(parts) * (parts + 1));
}

hc::Box box_of_rank(MPI_Comm cart) {
  std::array<int, 3> grid{}, periods{}, index{};
  MPI_Cart_get(cart, 3, grid.data(), periods.data(), index.data());
  hc::Box box;
  for (int dim = 0; dim < 3; ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    box.lo[dim] = first_cell(domain_extent[dim], grid[d], index[d]);
    box.hi[dim] = first_cell(domain_extent[dim], grid[d], index[d] + 1);
  }
  return box;
}

/// real(8) :: u(lo(1) - halo : hi(1) + halo, ...), where hi is the last own cell
struct Array {
  explicit Array(const hc::Box& owned)
      : first(owned.lo - hc::Vec3::filled(halo)),
        extent(owned.extent() + hc::Vec3::filled(2 * halo)),
        cells(static_cast<std::size_t>(extent.volume()), std::nan("")) {}

  double& operator()(const hc::Vec3& cell) {
    const hc::Vec3 p = cell - first;
    return cells[static_cast<std::size_t>((p.z * extent.y + p.y) * extent.x + p.x)];
  }
  hc::UserArray layout() {
    constexpr std::int64_t size = sizeof(double);
    return {.data = cells.data(),
            .extent = extent,
            .stride_bytes = {size, size * extent.x, size * extent.x * extent.y},
            .halo_below = hc::Vec3::filled(halo),
            .halo_above = hc::Vec3::filled(halo)};
  }

  hc::Vec3 first;
  hc::Vec3 extent;
  std::vector<double> cells;
};

/// What the discrete equation makes of a sum of three waves: each shrinks by the same factor in each step.
double wave_sum(const hc::Vec3& p, int after_steps) {
  double sum = 0;
  for (int dim = 0; dim < 3; ++dim) {
    const double angle = 2 * std::numbers::pi / static_cast<double>(domain_extent[dim]);
    const double factor = 1 - 2 * diffusion * (1 - std::cos(angle));
    sum += std::sin(angle * static_cast<double>(p[dim])) * std::pow(factor, after_steps);
  }
  return sum;
}

void update(const hc::Box& owned, Array& now, Array& next) {
  hc::for_each_cell(owned, [&](const hc::Vec3& p) {
    double change = -6 * now(p);
    for (const hc::Vec3& step : {hc::Vec3{1, 0, 0}, hc::Vec3{0, 1, 0}, hc::Vec3{0, 0, 1}}) {
      change += now(p - step) + now(p + step);
    }
    next(p) = now(p) + diffusion * change;
  });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::array<int, 3> grid{};
  const std::array<int, 3> periods{1, 1, 1};
  MPI_Dims_create(ranks, 3, grid.data());
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 3, grid.data(), periods.data(), 1, &cart);
  const hc::Box mine = box_of_rank(cart);
  std::array<Array, 2> u{Array(mine), Array(mine)};
  hc::for_each_cell(mine, [&](const hc::Vec3& p) { u[0](p) = wave_sum(p, 0); });

  hc::Domain domain(hc::OwnedBoxes{{mine}}, hc::Stencil::star(1), cart,
                    {.devices = {.kind = hc::DeviceKind::host, .per_rank = 1}});
  const auto field = domain.add_field<double>("u", {.buffers = 2});
  domain.plan();
  const hc::subdomain_id subdomain = domain.subdomains()[0].id();
  for (int buffer : {0, 1}) domain.use_array(field, subdomain, buffer, u[static_cast<std::size_t>(buffer)].layout());
  domain.realize();
  for (std::size_t step = 0; step < steps; ++step) {
    domain.exchange();
    domain.synchronize();  // update() runs here, in no stream
    update(mine, u[step % 2], u[(step + 1) % 2]);
    domain.swap(field);
  }
  domain.close();

  std::array<std::int64_t, 2> cells{mine.volume(), 0};  // all, and wrong ones
  hc::for_each_cell(mine, [&](const hc::Vec3& p) {
    const bool right = std::abs(u[steps % 2](p) - wave_sum(p, steps)) < 1e-12;  // not with NaN
    if (!right) ++cells[1];
  });
  MPI_Allreduce(MPI_IN_PLACE, cells.data(), 2, MPI_INT64_T, MPI_SUM, cart);
  int rank = 0;
  MPI_Comm_rank(cart, &rank);
  if (rank == 0) {
    std::cout << ranks << " ranks as " << grid[0] << " x " << grid[1] << " x " << grid[2] << ", " << steps << " steps, "
              << cells[0] << " cells, " << cells[1] << " wrong\n";
  }
  MPI_Comm_free(&cart);
  MPI_Finalize();
  return cells[1] == 0 ? 0 : 1;
}
