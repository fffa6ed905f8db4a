#pragma once

#include <array>
#include <cmath>

#include "mhd/parameters.hpp"

namespace mhd {

/// The right-hand sides in index notation, for whatever gives a cell's values and derivatives: value(field), d(field, i),
/// dd(field, i, j) for i, j of 0 to 2. Written apart from equations.hpp, which it checks.
template <typename Value, typename First, typename Second>
[[nodiscard]] std::array<long double, field_count> rates_from(const Parameters& p, const Value& value, const First& d,
                                                              const Second& dd) {
  using Real = long double;
  using Real3 = std::array<Real, 3>;
  constexpr auto at = [](int i) { return static_cast<std::size_t>(i); };
  const auto epsilon = [](int i, int j, int k) { return static_cast<Real>((j - i) * (k - i) * (k - j) / 2); };
  const Real gamma = p.adiabatic_index;
  const Real cp = p.heat_capacity;
  const Real rho = std::exp(static_cast<Real>(value(lnrho)));
  const Real log_t_over_t0 =
      gamma * value(entropy) / cp + (gamma - 1) * (value(lnrho) - static_cast<Real>(p.log_density));
  const Real cs2 = static_cast<Real>(p.sound_speed) * p.sound_speed * std::exp(log_t_over_t0);
  const Real temperature = cs2 / (cp * (gamma - 1));

  Real3 u{}, b{}, j{}, grad_div_u{}, lap_u{}, lap_a{}, lorentz{}, emf{};
  Real div_u = 0;
  for (int i = 0; i < 3; ++i) {
    u[at(i)] = value(ux + i);
    b[at(i)] = p.imposed_field[at(i)];
    div_u += d(ux + i, i);
    Real grad_div_a = 0;
    for (int k = 0; k < 3; ++k) {
      grad_div_u[at(i)] += dd(ux + k, i, k);
      grad_div_a += dd(ax + k, i, k);
      lap_u[at(i)] += dd(ux + i, k, k);
      lap_a[at(i)] += dd(ax + i, k, k);
      for (int l = 0; l < 3; ++l) b[at(i)] += epsilon(i, k, l) * d(ax + l, k);
    }
    j[at(i)] = (grad_div_a - lap_a[at(i)]) / static_cast<Real>(p.permeability);
  }
  Real j2 = 0;
  for (int i = 0; i < 3; ++i) {
    j2 += j[at(i)] * j[at(i)];
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        lorentz[at(i)] += epsilon(i, k, l) * j[at(k)] * b[at(l)];
        emf[at(i)] += epsilon(i, k, l) * u[at(k)] * b[at(l)];
      }
    }
  }

  const auto shear = [&](int i, int k) { return (d(ux + i, k) + d(ux + k, i)) / 2 - (i == k ? div_u / 3 : Real(0)); };
  const auto advected = [&](int field) { return u[0] * d(field, 0) + u[1] * d(field, 1) + u[2] * d(field, 2); };
  Real s2 = 0;
  std::array<Real, field_count> rate{};
  rate[lnrho] = -advected(lnrho) - div_u;
  for (int i = 0; i < 3; ++i) {
    Real along_gradient = 0;
    for (int k = 0; k < 3; ++k) {
      const Real s_ik = shear(i, k);
      s2 += s_ik * s_ik;
      along_gradient += s_ik * d(lnrho, k);
    }
    rate[at(ux + i)] = -advected(ux + i) - cs2 * (d(entropy, i) / cp + d(lnrho, i)) + lorentz[at(i)] / rho +
                       static_cast<Real>(p.viscosity) * (lap_u[at(i)] + grad_div_u[at(i)] / 3 + 2 * along_gradient) +
                       static_cast<Real>(p.bulk_viscosity) * grad_div_u[at(i)];
    rate[at(ax + i)] = emf[at(i)] + static_cast<Real>(p.diffusivity) * lap_a[at(i)];
  }
  Real lap_t = 0;  // of T, over T
  for (int i = 0; i < 3; ++i) {
    const Real slope = gamma / cp * d(entropy, i) + (gamma - 1) * d(lnrho, i);
    lap_t += gamma / cp * dd(entropy, i, i) + (gamma - 1) * dd(lnrho, i, i) + slope * slope;
  }
  const Real heat = static_cast<Real>(p.heating) - p.cooling + p.conductivity * temperature * lap_t +
                    static_cast<Real>(p.diffusivity) * p.permeability * j2 + 2 * rho * p.viscosity * s2 +
                    p.bulk_viscosity * rho * div_u * div_u;
  rate[entropy] = -advected(entropy) + heat / (rho * temperature);
  return rate;
}

}  // namespace mhd
