// SPDX-License-Identifier: BSD-3-Clause
// Acoustic waves in a box with rigid walls, on a staggered grid: pressures p at cell centres, a velocity at the faces in each
// dimension. Face i is between cells i - 1 and i; faces 0 and n are walls, where velocities are 0. Leapfrog conserves an energy
// up to rounding, and every number of devices computes the same bits. Both are checked.
#include <halocline/halocline.hpp>

#include <array>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr hc::Vec3 extent{24, 20, 28};
constexpr double dt = 0.5;  // below 1 / sqrt(3), the limit for cells of size 1 and waves of speed 1
constexpr int steps = 200;
constexpr double tolerance = 1e-12;  // of the energy, relative
constexpr std::array<hc::Vec3, 3> unit{hc::Vec3{1, 0, 0}, hc::Vec3{0, 1, 0}, hc::Vec3{0, 0, 1}};

using Field = hc::Field<double>;

/// What a subdomain owns of a field: its cells, or faces, which are one layer more at an upper wall.
template <typename Value>
void set(const hc::Subdomain& s, Field field, Value value) {
  s.launch(s.view(field).owned(), [view = s.view(field), value](const hc::Box& box) {
    hc::for_each_cell(box, [&](hc::Vec3 i) { view(i) = value(i); });
  });
}

struct Waves {
  explicit Waves(hc::Domain& in) : domain(in) {
    // Face i reads cells i - 1 and i, and cell i reads faces i and i + 1: halos on one side, without edges and corners.
    const auto below = hc::Stencil::per_side({1, 1, 1}, {}).without_edges().without_corners();
    p = domain.add_field<double>("p", {.stencil = below, .buffers = 2});
    for (std::size_t d = 0; d < 3; ++d) {
      hc::FieldDescriptor staggered{.stencil = hc::Stencil::per_side({}, unit[d])};
      staggered.staggered[d] = true;
      v[d] = domain.add_field<double>(std::string(1, "uvw"[d]), staggered);
    }
    domain.on_open_boundary({});  // the kernels read nothing beyond the walls
    domain.realize();
    for (const auto& s : domain.subdomains()) {
      set(s, p, [](const hc::Vec3& i) {
        const hc::Vec3 r = i - hc::Vec3{8, 9, 10};
        return std::exp(-static_cast<double>((r * r).x + (r * r).y + (r * r).z) / 9);
      });
      for (const Field face : v) set(s, face, [](const hc::Vec3&) { return 0.0; });
    }
  }

  /// Exchanges what an update reads, and updates all cells, or the faces below them.
  template <typename Update>
  void half_step(const std::vector<hc::Transfer>& read, Update update) {
    auto exchange = domain.start_exchange(read);
    for (const auto& s : domain.subdomains()) s.launch(s.interior(), update(s));
    exchange.finish();
    for (const auto& s : domain.subdomains()) {
      for (const auto& box : s.boundary()) s.launch(box, update(s));
    }
  }

  /// Velocities go from t - dt/2 to t + dt/2, then pressures from t to t + dt. Walls keep their 0: lower ones are left out, and
  /// no cell is above the upper ones.
  void step() {
    half_step({{p}}, [this](const hc::Subdomain& s) {
      return [now = s.read(p), faces = std::array{s.view(v[0]), s.view(v[1]), s.view(v[2])}](const hc::Box& box) {
        hc::for_each_cell(box, [&](hc::Vec3 i) {
          for (std::size_t d = 0; d < 3; ++d) {
            if (i[static_cast<int>(d)] > 0) faces[d](i) -= dt * (now(i) - now(i - unit[d]));
          }
        });
      };
    });
    half_step({{v[0]}, {v[1]}, {v[2]}}, [this](const hc::Subdomain& s) {
      return [now = s.read(p), next = s.write(p),
              faces = std::array{s.read(v[0]), s.read(v[1]), s.read(v[2])}](const hc::Box& box) {
        hc::for_each_cell(box, [&](hc::Vec3 i) {
          double outflow = 0;
          for (std::size_t d = 0; d < 3; ++d) outflow += faces[d](i + unit[d]) - faces[d](i);
          next(i) = now(i) - dt * outflow;
        });
      };
    });
    domain.swap(p);
  }

  /// Of value(subdomain, i) over what all ranks own of a field.
  template <typename Value>
  double sum(Field field, Value value) const {
    domain.synchronize();
    double sum = 0;
    for (const auto& s : domain.subdomains()) {
      hc::for_each_cell(s.view(field).owned(), [&](hc::Vec3 i) { sum += value(s, i); });
    }
    return domain.plan().comm.all_reduce(sum, hc::comm::Reduction::sum);
  }

  /// Kinetic energy at t - dt/2, and potential energy of the pressures before and after it.
  double energy() const {
    double twice = sum(p, [&](const hc::Subdomain& s, hc::Vec3 i) { return s.view(p, 1)(i) * s.view(p)(i); });
    for (const Field face : v) {
      twice += sum(face, [&](const hc::Subdomain& s, hc::Vec3 i) { return s.view(face)(i) * s.view(face)(i); });
    }
    return twice / 2;
  }

  /// Cells and faces, walls included, that differ from those of a domain of one subdomain.
  double differences(const Waves& one) const {
    one.domain.synchronize();
    const hc::Subdomain& all = one.domain.subdomains()[0];
    double different = 0;
    for (const Field field : {p, v[0], v[1], v[2]}) {
      different +=
          sum(field, [&](const hc::Subdomain& s, hc::Vec3 i) { return s.view(field)(i) != all.view(field)(i); });
    }
    return different;
  }

  hc::Domain& domain;
  Field p{};
  std::array<Field, 3> v{};
};

hc::DomainOptions on_devices(int per_rank) {
  return {.boundaries = {hc::Boundary::open, hc::Boundary::open, hc::Boundary::open},
          .devices = {.kind = hc::DeviceKind::host, .per_rank = per_rank}};
}

}  // namespace

/// Alone, or on the ranks that a launcher starts.
int main(int argc, char** argv) {
  hc::comm::Session session(&argc, &argv, hc::Environment::read());
  hc::Domain several(extent, hc::Stencil(), session.world(), on_devices(2));
  hc::Domain single(extent, hc::Stencil(), on_devices(1));
  Waves waves(several);
  Waves one(single);
  waves.step();
  const double first = waves.energy();
  for (int step = 1; step < steps; ++step) waves.step();
  for (int step = 0; step < steps; ++step) one.step();
  const double change = std::abs(waves.energy() / first - 1);
  const double different = waves.differences(one);
  const bool passed = change < tolerance && different == 0;
  if (session.world().rank() == hc::rank_id(0)) {
    std::cout << "energy: changed by " << change << " of itself in " << steps << " steps; allowed is " << tolerance
              << "\ncells and faces that differ from a run on 1 device: " << different << '\n'
              << (passed ? "passed\n" : "FAILED\n");
  }
  several.close();
  single.close();
  return passed ? 0 : 1;
}
