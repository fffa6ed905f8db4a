// SPDX-License-Identifier: BSD-3-Clause
// Kokkos::Views as the arrays of a domain: Halocline exchanges their halos in place, and on GPUs kernels run in the subdomain's
// stream, so that no call waits for the device. A wave that the discrete heat equation only makes smaller is compared with theory.
#include <Kokkos_Core.hpp>

#include <halocline/cuda.hpp>
#include <halocline/halocline.hpp>

#include <array>
#include <cmath>
#include <iostream>
#include <numbers>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using View = Kokkos::View<double***, Space>;  // (z, y, x), in the space's own order of memory

constexpr hc::Vec3 extent{48, 40, 32};
constexpr std::int64_t halo = 2;  // of the views; the stencil reads 1
constexpr int steps = 50;
constexpr double diffusion = 0.1;

#if defined(KOKKOS_ENABLE_CUDA)
constexpr auto kind = hc::DeviceKind::cuda;
/// Kernels of this instance are ordered with exchanges by the stream.
Space space_of(const hc::Subdomain& s) { return Space(hc::cuda_stream(s.stream())); }
void wait_for_exchange(hc::Domain&) {}
void wait_for_kernel(const Space&) {}
#else
constexpr auto kind = hc::DeviceKind::host;
Space space_of(const hc::Subdomain&) { return Space(); }
/// Kernels on the host run at once: after the halos have arrived, and done before the next exchange starts.
void wait_for_exchange(hc::Domain& domain) { domain.synchronize(); }
void wait_for_kernel(const Space& space) { space.fence(); }
#endif

/// The value of a cell at the start; and the factor by which one step multiplies all of them.
constexpr double angle_x = 2 * std::numbers::pi / extent.x;
constexpr double angle_y = 4 * std::numbers::pi / extent.y;
constexpr double angle_z = 2 * std::numbers::pi / extent.z;
KOKKOS_INLINE_FUNCTION double wave(std::int64_t x, std::int64_t y, std::int64_t z) {
  return Kokkos::sin(angle_x * static_cast<double>(x) + angle_y * static_cast<double>(y) +
                     angle_z * static_cast<double>(z));
}
double factor_of_a_step() {
  double sum = 0;
  for (const double angle : {angle_x, angle_y, angle_z}) sum += 2 - 2 * std::cos(angle);
  return 1 - diffusion * sum;
}

/// For the owned cells of a box and their halo.
View make_view(const char* name, const hc::Box& owned) {
  const hc::Vec3 size = owned.extent() + hc::Vec3::filled(2 * halo);
  return View(name, static_cast<std::size_t>(size.z), static_cast<std::size_t>(size.y),
              static_cast<std::size_t>(size.x));
}

/// The owned cells, by the indices of a view.
auto cells_of(const Space& space, const hc::Box& owned) {
  const hc::Vec3 size = owned.extent();
  return Kokkos::MDRangePolicy<Space, Kokkos::Rank<3>>(space, {halo, halo, halo},
                                                       {size.z + halo, size.y + halo, size.x + halo});
}

int run() {
  hc::Domain domain(extent, hc::Stencil::star(1), {.devices = {.kind = kind, .per_rank = 1}});
  const auto u = domain.add_field<double>("u", {.buffers = 2});
  domain.plan();
  const hc::Subdomain& s = domain.subdomains().front();
  const hc::Box owned = s.owned();
  const std::array<View, 2> views{make_view("u0", owned), make_view("u1", owned)};
  for (int buffer : {0, 1}) {
    const View& view = views[static_cast<std::size_t>(buffer)];
    domain.use_array(u, s.id(), buffer, hc::array_of(view, "zyx", hc::Vec3::filled(halo), hc::Vec3::filled(halo)));
  }
  domain.realize();

  const Space space = space_of(s);
  const View start = views[0];
  const hc::Vec3 first = owned.lo - hc::Vec3::filled(halo);
  Kokkos::parallel_for(
      "start", cells_of(space, owned), KOKKOS_LAMBDA(std::int64_t z, std::int64_t y, std::int64_t x) {
        start(z, y, x) = wave(first.x + x, first.y + y, first.z + z);
      });
  wait_for_kernel(space);
  for (std::size_t step = 0; step < steps; ++step) {
    domain.exchange();
    wait_for_exchange(domain);
    const View now = views[step % 2];
    const View next = views[(step + 1) % 2];
    Kokkos::parallel_for(
        "diffuse", cells_of(space, owned), KOKKOS_LAMBDA(std::int64_t z, std::int64_t y, std::int64_t x) {
          const double neighbours = now(z - 1, y, x) + now(z + 1, y, x) + now(z, y - 1, x) + now(z, y + 1, x) +
                                    now(z, y, x - 1) + now(z, y, x + 1);
          next(z, y, x) = now(z, y, x) + diffusion * (neighbours - 6 * now(z, y, x));
        });
    wait_for_kernel(space);
    domain.swap(u);
  }
  const double factor = std::pow(factor_of_a_step(), steps);
  const View last = views[steps % 2];
  double error = 0;
  Kokkos::parallel_reduce(
      "compare", cells_of(space, owned),
      KOKKOS_LAMBDA(std::int64_t z, std::int64_t y, std::int64_t x, double& most) {
        most = Kokkos::max(most, Kokkos::abs(last(z, y, x) - factor * wave(first.x + x, first.y + y, first.z + z)));
      },
      Kokkos::Max<double>(error));
  space.fence();
  domain.close();
  const bool right = error < 1e-12;
  std::cout << Space::name() << ": " << extent.volume() << " cells, " << steps << " steps, "
            << (right ? "as the equation" : "not as the equation") << "\n";
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
