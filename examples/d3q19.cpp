// SPDX-License-Identifier: BSD-3-Clause
// Lattice Boltzmann, D3Q19 with BGK collisions (Qian, d'Humieres, Lallemand, 1992): a shear wave decays, and the viscosity
// that follows is compared with theory. 5 of the 19 populations cross a face, 1 an edge; only these are exchanged.
#include <halocline/halocline.hpp>

#include <array>
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

namespace {

constexpr hc::Vec3 extent{16, 32, 64};
constexpr double relaxation_time = 0.8;
constexpr double viscosity = (relaxation_time - 0.5) / 3;
constexpr double amplitude = 0.01;
constexpr int first_step = 50;  // before it, populations are still close to the equilibrium that they begin with
constexpr int last_step = 250;

using Populations = std::array<double, 19>;
using Velocity = std::array<double, 3>;

/// At rest, and towards the faces and edges.
std::vector<hc::Vec3> make_velocities() {
  std::vector<hc::Vec3> all{{0, 0, 0}};
  for (const hc::Direction d : hc::all_directions) {
    if (d.order() < 3) all.push_back(d.vec());
  }
  return all;
}
const std::vector<hc::Vec3> velocities = make_velocities();

Populations equilibrium(double density, const Velocity& u) {
  constexpr std::array weights{1. / 3, 1. / 18, 1. / 36};  // by the squared speed
  Populations f{};
  const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  for (std::size_t c = 0; c < f.size(); ++c) {
    const auto& [x, y, z] = velocities[c];
    const double eu = static_cast<double>(x) * u[0] + static_cast<double>(y) * u[1] + static_cast<double>(z) * u[2];
    f[c] = weights[static_cast<std::size_t>(x * x + y * y + z * z)] * density * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * uu);
  }
  return f;
}

struct Moments {
  double density = 0;
  Velocity velocity{};
};

Moments moments_of(const Populations& f) {
  Moments all;
  for (const double population : f) all.density += population;
  for (std::size_t c = 0; c < f.size(); ++c) {
    for (int dim = 0; dim < 3; ++dim) {
      all.velocity[static_cast<std::size_t>(dim)] += f[c] * static_cast<double>(velocities[c][dim]) / all.density;
    }
  }
  return all;
}

constexpr double wave_y = 2 * std::numbers::pi / extent.y;
constexpr double wave_z = 2 * std::numbers::pi / extent.z;
double wave(const hc::Vec3& p) {
  return std::sin(wave_y * static_cast<double>(p.y) + wave_z * static_cast<double>(p.z));
}

using Field = hc::Field<double>;

void initialise(const hc::Subdomain& s, Field f) {
  s.launch(s.owned(), [now = s.view(f)](const hc::Box& box) {
    hc::for_each_cell(box, [&](hc::Vec3 p) {
      const Populations start = equilibrium(1, {amplitude * wave(p), 0, 0});
      for (int c = 0; c < 19; ++c) now(p, c) = start[static_cast<std::size_t>(c)];
    });
  });
}

/// Populations stream from where they come from, and collide.
void update(const hc::Subdomain& s, Field f, const hc::Box& part) {
  s.launch(part, [now = s.read(f), next = s.write(f)](const hc::Box& box) {
    hc::for_each_cell(box, [&](hc::Vec3 p) {
      Populations streamed{};
      for (std::size_t c = 0; c < 19; ++c) streamed[c] = now(p - velocities[c], static_cast<int>(c));
      const auto [density, velocity] = moments_of(streamed);
      const Populations rest = equilibrium(density, velocity);
      for (std::size_t c = 0; c < 19; ++c) {
        next(p, static_cast<int>(c)) = streamed[c] + (rest[c] - streamed[c]) / relaxation_time;
      }
    });
  });
}

/// Of the wave that is left.
double amplitude_of(hc::Domain& domain, Field f) {
  domain.synchronize();
  double sum = 0;
  for (const auto& s : domain.subdomains()) {
    hc::for_each_cell(s.owned(), [&, now = s.read(f)](hc::Vec3 p) {
      Populations f_here{};
      for (std::size_t c = 0; c < 19; ++c) f_here[c] = now(p, static_cast<int>(c));
      sum += moments_of(f_here).velocity[0] * wave(p);
    });
  }
  return 2 * sum / static_cast<double>(extent.volume());
}

/// Calls run(domain, field) and prints what an exchange moves.
template <typename Run>
void with_domain(const char* what, const std::vector<hc::Directions>& directions, Run run) {
  hc::Domain domain(extent, hc::Stencil::box(1).without_corners(),
                    {.devices = {.kind = hc::DeviceKind::host, .per_rank = 2}});
  const Field f = domain.add_field<double>("f", {.components = 19, .buffers = 2, .component_directions = directions});
  domain.realize();
  const std::string text = domain.explain();
  std::cout << what << ":\n" << text.substr(text.find("traffic"));
  run(domain, f);
  domain.close();
}

}  // namespace

int main() {
  with_domain("all 19 populations", {}, [](hc::Domain&, Field) {});
  double measured = 0;
  with_domain("only populations that cross", hc::directions_of_velocities(velocities),
              [&](hc::Domain& domain, Field f) {
                for (const auto& s : domain.subdomains()) initialise(s, f);
                double before = 0;
                for (int step = 0; step < last_step; ++step) {
                  if (step == first_step) before = amplitude_of(domain, f);
                  auto exchange = domain.start_exchange();
                  for (const auto& s : domain.subdomains()) update(s, f, s.interior());
                  exchange.finish();
                  for (const auto& s : domain.subdomains()) {
                    for (const auto& box : s.boundary()) update(s, f, box);
                  }
                  domain.swap(f);
                }
                const double decay = std::log(before / amplitude_of(domain, f)) / (last_step - first_step);
                measured = decay / (wave_y * wave_y + wave_z * wave_z);
              });
  std::cout << "viscosity: " << measured << ", in theory " << viscosity << '\n';
  return std::abs(measured / viscosity - 1) < 0.01 ? 0 : 1;
}
