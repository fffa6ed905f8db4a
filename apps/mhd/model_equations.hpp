// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include "mhd/parameters.hpp"

namespace mhd {

/// A number together with the sum of the magnitudes of all that it was added up from: what rounding errors of its evaluation are
/// measured by, where terms cancel out. To first order: of a product the product, of exp(x) what an error of x does to it.
struct Measured {
  using Real = long double;
  Real value = 0;
  Real size = 0;

  Measured() = default;
  Measured(Real v) : value(v), size(std::fabs(v)) {}  // NOLINT(google-explicit-constructor): as numbers are
  Measured(Real v, Real s) : value(v), size(s) {}

  friend Measured operator-(const Measured& a) { return {-a.value, a.size}; }
  friend Measured operator+(const Measured& a, const Measured& b) { return {a.value + b.value, a.size + b.size}; }
  friend Measured operator-(const Measured& a, const Measured& b) { return {a.value - b.value, a.size + b.size}; }
  friend Measured operator*(const Measured& a, const Measured& b) { return {a.value * b.value, a.size * b.size}; }
  friend Measured operator/(const Measured& a, const Measured& b) {
    const Real of_b = b.size / (b.value * b.value);  // of 1 / b
    return {a.value / b.value, a.size * of_b};
  }
  Measured& operator+=(const Measured& b) { return *this = *this + b; }
  friend Measured exp(const Measured& a) {
    const Real value = std::exp(a.value);
    return {value, value * (1 + a.size)};
  }
};

/// The right-hand sides in index notation, for whatever gives a cell's values and derivatives: value(field), d(field, i),
/// dd(field, i, j) for i, j of 0 to 2. Written apart from equations.hpp, which it checks. Number: long double, or Measured.
template <typename Number, typename Value, typename First, typename Second>
[[nodiscard]] std::array<Number, field_count> rates_from(const Parameters& p, const Value& value, const First& d,
                                                         const Second& dd) {
  using std::exp;
  using Real = long double;
  using Number3 = std::array<Number, 3>;
  constexpr auto at = [](int i) { return static_cast<std::size_t>(i); };
  const auto epsilon = [](int i, int j, int k) { return static_cast<Real>((j - i) * (k - i) * (k - j) / 2); };
  const Real gamma = p.adiabatic_index;
  const Real cp = p.heat_capacity;
  const Number rho = exp(value(lnrho));
  const Number log_t_over_t0 =
      gamma / cp * value(entropy) + (gamma - 1) * (value(lnrho) - static_cast<Real>(p.log_density));
  const Number cs2 = static_cast<Real>(p.sound_speed) * p.sound_speed * exp(log_t_over_t0);
  const Number temperature = cs2 / (cp * (gamma - 1));

  Number3 u{}, b{}, j{}, grad_div_u{}, lap_u{}, lap_a{}, lorentz{}, emf{};
  Number div_u = 0;
  for (int i = 0; i < 3; ++i) {
    u[at(i)] = value(ux + i);
    b[at(i)] = static_cast<Real>(p.imposed_field[at(i)]);
    div_u += d(ux + i, i);
    Number grad_div_a = 0;
    for (int k = 0; k < 3; ++k) {
      grad_div_u[at(i)] += dd(ux + k, i, k);
      grad_div_a += dd(ax + k, i, k);
      lap_u[at(i)] += dd(ux + i, k, k);
      lap_a[at(i)] += dd(ax + i, k, k);
      for (int l = 0; l < 3; ++l) b[at(i)] += epsilon(i, k, l) * d(ax + l, k);
    }
    j[at(i)] = (grad_div_a - lap_a[at(i)]) / static_cast<Real>(p.permeability);
  }
  Number j2 = 0;
  for (int i = 0; i < 3; ++i) {
    j2 += j[at(i)] * j[at(i)];
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        lorentz[at(i)] += epsilon(i, k, l) * j[at(k)] * b[at(l)];
        emf[at(i)] += epsilon(i, k, l) * u[at(k)] * b[at(l)];
      }
    }
  }

  const auto shear = [&](int i, int k) { return (d(ux + i, k) + d(ux + k, i)) / 2 - (i == k ? div_u / 3 : Number(0)); };
  const auto advected = [&](int field) { return u[0] * d(field, 0) + u[1] * d(field, 1) + u[2] * d(field, 2); };
  Number s2 = 0;
  std::array<Number, field_count> rate{};
  rate[lnrho] = -advected(lnrho) - div_u;
  for (int i = 0; i < 3; ++i) {
    Number along_gradient = 0;
    for (int k = 0; k < 3; ++k) {
      const Number s_ik = shear(i, k);
      s2 += s_ik * s_ik;
      along_gradient += s_ik * d(lnrho, k);
    }
    rate[at(ux + i)] = -advected(ux + i) - cs2 * (d(entropy, i) / cp + d(lnrho, i)) + lorentz[at(i)] / rho +
                       static_cast<Real>(p.viscosity) * (lap_u[at(i)] + grad_div_u[at(i)] / 3 + 2 * along_gradient) +
                       static_cast<Real>(p.bulk_viscosity) * grad_div_u[at(i)];
    rate[at(ax + i)] = emf[at(i)] + static_cast<Real>(p.diffusivity) * lap_a[at(i)];
  }
  Number lap_t = 0;  // of T, over T
  for (int i = 0; i < 3; ++i) {
    const Number slope = gamma / cp * d(entropy, i) + (gamma - 1) * d(lnrho, i);
    lap_t += gamma / cp * dd(entropy, i, i) + (gamma - 1) * dd(lnrho, i, i) + slope * slope;
  }
  const Number heat =
      static_cast<Real>(p.heating) - p.cooling + static_cast<Real>(p.conductivity) * temperature * lap_t +
      static_cast<Real>(p.diffusivity) * p.permeability * j2 + 2 * static_cast<Real>(p.viscosity) * rho * s2 +
      static_cast<Real>(p.bulk_viscosity) * rho * div_u * div_u;
  rate[entropy] = -advected(entropy) + heat / (rho * temperature);
  return rate;
}

}  // namespace mhd
