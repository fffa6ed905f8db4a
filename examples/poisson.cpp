// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation by Jacobi steps that stop by their residual, without the host: a step's kernels read the residual where reduce()
// has left it. The host replays steps, and looks at times. Wherever it looks, and on every number of devices, the solution has the
// same bits; and it is the known one. Both are checked.
#include <halocline/halocline.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

namespace {

constexpr hc::Vec3 extent{20, 24, 18};
constexpr double tolerance = 1e-10;

/// A wave that is 0 just outside of the box. The sum of a cell's differences from its six neighbours is `eigenvalue` times the cell.
double exact(hc::Vec3 p) {
  double value = 1;
  for (int dim = 0; dim < 3; ++dim) {
    value *= std::sin(std::numbers::pi * static_cast<double>(p[dim] + 1) / static_cast<double>(extent[dim] + 1));
  }
  return value;
}
double eigenvalue() {
  double sum = 0;
  for (int dim = 0; dim < 3; ++dim) {
    sum += 2 - 2 * std::cos(std::numbers::pi / static_cast<double>(extent[dim] + 1));
  }
  return sum;
}

class Poisson {
 public:
  explicit Poisson(hc::Domain& in) : domain(in) {
    u = domain.add_field<double>("u", {.buffers = 2});
    change = domain.add_field<double>("change", {.stencil = hc::Stencil()});
    residual = domain.add_reduction(change, hc::Reduce::max_abs);
    domain.on_open_boundary({});  // cells beyond the ends stay 0
    domain.realize();
    for (const auto& s : domain.subdomains()) {
      s.launch(s.owned(), [out = s.view(change)](const hc::Box& part) {
        hc::for_each_cell(part, [&](hc::Vec3 p) { out(p) = 1; });  // above the tolerance
      });
    }
    domain.reduce(residual);
  }

  void step() {
    domain.exchange({{u}});
    for (const auto& s : domain.subdomains()) {
      s.launch(s.owned(), [now = s.read(u), next = s.write(u), out = s.view(change), last = s.result(residual),
                           lambda = eigenvalue()](const hc::Box& part) {
        const bool goes_on = *last > tolerance;
        hc::for_each_cell(part, [&](hc::Vec3 p) {
          const auto [x, y, z] = p;
          const double sides = now(x - 1, y, z) + now(x + 1, y, z) + now(x, y - 1, z) + now(x, y + 1, z) +
                               now(x, y, z - 1) + now(x, y, z + 1);
          const double better = (sides + lambda * exact(p)) / 6;
          next(p) = goes_on ? better : now(p);
          out(p) = better - now(p);
        });
      });
    }
    domain.reduce(residual);
    domain.swap(u);
  }

  /// Replays steps, and looks at the residual after each `launches` times two of them. Returns how often it looked.
  int solve(int launches) {
    auto capture = domain.capture();
    for (int i = 0; i < 2; ++i) step();
    const auto steps = capture.finish();
    int looks = 0;
    do {
      for (int i = 0; i < launches; ++i) steps.launch();
      ++looks;
    } while (domain.value(residual) > tolerance);
    return looks;
  }

  /// The largest difference of a cell from another solution.
  template <typename Other>
  double difference(Other other) {
    domain.synchronize();
    double most = 0;
    for (const auto& s : domain.subdomains()) {
      hc::for_each_cell(s.owned(), [&](hc::Vec3 p) { most = std::max(most, std::abs(s.view(u)(p) - other(p))); });
    }
    return domain.plan().comm.all_reduce(most, hc::comm::Reduction::max);
  }

  hc::Domain& domain;
  hc::Field<double> u{}, change{};
  hc::reduction_id residual;
};

hc::DomainOptions on_devices(int per_rank) {
  return {.boundaries = {hc::Boundary::open, hc::Boundary::open, hc::Boundary::open},
          .devices = {.kind = hc::DeviceKind::host, .per_rank = per_rank}};
}

}  // namespace

/// Alone, or on the ranks that a launcher starts on a node.
int main(int argc, char** argv) {
  hc::comm::Session session(&argc, &argv, hc::Environment::read());
  hc::Domain several(extent, hc::Stencil::star(1), session.world(), on_devices(2));
  hc::Domain single(extent, hc::Stencil::star(1), on_devices(1));
  Poisson poisson(several);
  Poisson one(single);
  const int often = poisson.solve(10);
  const int seldom = one.solve(150);
  const double error = poisson.difference(exact);
  const double different = poisson.difference([&](hc::Vec3 p) { return single.subdomains()[0].view(one.u)(p); });
  const double residual = several.value(poisson.residual);
  const bool passed = error < 1e-7 && different == 0 && residual == single.value(one.residual) && seldom < often;
  if (session.world().rank() == hc::rank_id(0)) {
    std::cout << "residual " << residual << ", after " << often << " looks of the host; error " << error
              << "\ndifference from a run on 1 device, after " << seldom << " looks: " << different << '\n'
              << (passed ? "passed\n" : "FAILED\n");
  }
  several.close();
  single.close();
  return passed ? 0 : 1;
}
