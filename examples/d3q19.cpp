// SPDX-License-Identifier: BSD-3-Clause
// Lattice Boltzmann with two buffers, and in place in one (AA pattern: Bailey, Myre, Walsh, Lilja, Saar, 2009). A shear wave decays; both
// must have the same populations, and the viscosity that follows from the decay is compared with theory. 5 of the 19 populations cross a
// face, 1 an edge; only these are exchanged. d3q19_mpi.cpp is the same without Halocline.
#include <halocline/halocline.hpp>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "d3q19_lattice.hpp"

namespace {

using Field = hc::Field<double>;
using lattice::Populations;

hc::Vec3 velocity(std::size_t c) {
  return {lattice::velocities[c][0], lattice::velocities[c][1], lattice::velocities[c][2]};
}

/// Sign -1: of populations that are read at x + e.
std::vector<hc::Vec3> velocities(int sign) {
  std::vector<hc::Vec3> all;
  for (std::size_t c = 0; c < 19; ++c)
    all.push_back({sign * velocity(c).x, sign * velocity(c).y, sign * velocity(c).z});
  return all;
}

Populations initial(const hc::Vec3& p) {
  return lattice::equilibrium(1, lattice::velocity_of(0.02 * lattice::wave(p.x, p.y, p.z)));
}

/// Two buffers: populations stream from where they come from, and collide.
void update(const hc::Subdomain& s, Field f, const hc::Box& part) {
  s.launch(part, [now = s.read(f), next = s.write(f)](const hc::Box& box) {
    hc::for_each_cell(box, [&](hc::Vec3 p) {
      Populations all{};
      for (std::size_t c = 0; c < 19; ++c) all[c] = now(p - velocity(c), static_cast<int>(c));
      all = lattice::collide(all);
      for (std::size_t c = 0; c < 19; ++c) next(p, static_cast<int>(c)) = all[c];
    });
  });
}

/// In place, first of two steps: populations stream in, collide, and stream out, also into the halo. A cell reads and writes the same 19
/// numbers, and no other cell does.
void stream_collide_stream(const hc::Subdomain& s, Field f, const hc::Box& part) {
  s.launch(part, [at = s.view(f)](const hc::Box& box) {
    hc::for_each_cell(box, [&](hc::Vec3 p) {
      Populations all{};
      for (std::size_t c = 0; c < 19; ++c) all[c] = at(p - velocity(c), static_cast<int>(lattice::opposite(c)));
      all = lattice::collide(all);
      for (std::size_t c = 0; c < 19; ++c) at(p + velocity(c), static_cast<int>(c)) = all[c];
    });
  });
}

/// Second of two steps: populations collide, and each is stored as its opposite.
void collide(const hc::Subdomain& s, Field f) {
  s.launch(s.owned(), [at = s.view(f)](const hc::Box& box) {
    hc::for_each_cell(box, [&](hc::Vec3 p) {
      Populations all{};
      for (std::size_t c = 0; c < 19; ++c) all[c] = at(p, static_cast<int>(c));
      all = lattice::collide(all);
      for (std::size_t c = 0; c < 19; ++c) at(p, static_cast<int>(lattice::opposite(c))) = all[c];
    });
  });
}

constexpr hc::Vec3 extent{lattice::extent[0], lattice::extent[1], lattice::extent[2]};
const hc::Stencil stencil = hc::Stencil::box(1).without_corners();
const hc::DomainOptions options{.devices = {.kind = hc::DeviceKind::host, .per_rank = 2}};

/// A domain, and its populations before they stream.
struct Fluid {
  hc::Domain domain;
  Field f;
  bool in_place;

  explicit Fluid(bool one_buffer)
      : domain(extent, stencil, options),
        f(domain.add_field<double>(
            "f", {.components = 19,
                  .buffers = one_buffer ? 1 : 2,
                  .component_directions = hc::directions_of_velocities(velocities(one_buffer ? -1 : 1))})),
        in_place(one_buffer) {
    domain.realize();
    for (const auto& s : domain.subdomains()) {
      hc::for_each_cell(s.owned(), [&, now = s.view(f)](hc::Vec3 p) {
        for (std::size_t c = 0; c < 19; ++c) now(p, stored(c)) = initial(p)[c];
      });
    }
  }

  [[nodiscard]] int stored(std::size_t c) const { return static_cast<int>(in_place ? lattice::opposite(c) : c); }

  void two_steps() {
    for (int step = 0; step < (in_place ? 1 : 2); ++step) {
      const auto advance = in_place ? stream_collide_stream : update;
      auto exchange = domain.start_exchange();
      for (const auto& s : domain.subdomains()) advance(s, f, s.interior());
      exchange.finish();
      for (const auto& s : domain.subdomains()) {
        for (const auto& box : s.boundary()) advance(s, f, box);
      }
      if (!in_place) domain.swap(f);
    }
    if (!in_place) return;
    domain.accumulate(hc::Combine::replace);  // what streamed into halos goes to its owner
    for (const auto& s : domain.subdomains()) collide(s, f);
  }

  std::vector<Populations> populations() {
    domain.synchronize();
    std::vector<Populations> found(static_cast<std::size_t>(extent.volume()));
    for (const auto& s : domain.subdomains()) {
      hc::for_each_cell(s.owned(), [&, now = s.view(f)](hc::Vec3 p) {
        for (std::size_t c = 0; c < 19; ++c) {
          found[static_cast<std::size_t>(p.x + extent.x * (p.y + extent.y * p.z))][c] = now(p, stored(c));
        }
      });
    }
    return found;
  }
};

double amplitude_of(const std::vector<Populations>& all) {
  double sum = 0;
  const auto& [nx, ny, nz] = lattice::extent;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int cell = static_cast<int>(i);
    sum += lattice::part_of_amplitude(all[i], lattice::wave(cell % nx, cell / nx % ny, cell / nx / ny));
  }
  return sum;
}

}  // namespace

int main() {
  constexpr std::size_t population_bytes = sizeof(Populations);
  hc::Domain all(extent, stencil, options);
  static_cast<void>(all.add_field<double>("f", {.components = 19, .buffers = 2}));
  all.realize();
  const std::string everything = all.explain();
  std::cout << "all 19 populations in all directions:\n" << everything.substr(everything.find("traffic"));
  all.close();

  Fluid two(false), one(true);
  for (Fluid* fluid : {&two, &one}) {
    const std::string text = fluid->domain.explain();
    std::cout << (fluid->in_place ? "in place" : "two buffers") << ": " << (fluid->in_place ? 1 : 2) * population_bytes
              << " bytes of memory a cell; a step loads and stores " << 2 * population_bytes << " bytes a cell\n"
              << text.substr(text.find("traffic"));
  }
  double before = 0;
  for (int step = 0; step < lattice::last_step; step += 2) {
    if (step == lattice::first_step) before = amplitude_of(two.populations());
    two.two_steps();
    one.two_steps();
  }
  const auto populations = two.populations();
  const bool same = populations == one.populations();
  const double measured = lattice::measured_viscosity(before, amplitude_of(populations));
  std::cout << "populations in place: " << (same ? "as with two buffers, bit for bit" : "DIFFERENT")
            << "\nviscosity: " << measured << ", in theory " << lattice::viscosity << '\n';
  two.domain.close();
  one.domain.close();
  return same && std::abs(measured / lattice::viscosity - 1) < 0.01 ? 0 : 1;
}
