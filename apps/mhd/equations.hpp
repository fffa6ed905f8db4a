// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "halocline/view.hpp"
#include "mhd/differences.hpp"
#include "mhd/parameters.hpp"

// The equations of non-ideal magnetohydrodynamics in log density, velocity, specific entropy and vector potential, as
// Pekkilä et al. give them (Appendix B), at one cell: for the host and for GPUs.
namespace mhd {

/// What of Parameters the equations multiply by.
template <typename T>
struct Constants {
  T viscosity, bulk_viscosity, diffusivity, conductivity;
  T of_gradient;            ///< nu / 3 + zeta: of grad div u
  T heating;                ///< H - C
  T ohmic;                  ///< eta mu_0
  T inverse_permeability;   ///< 1 / mu_0
  T inverse_heat_capacity;  ///< 1 / c_p
  T entropy_to_log;         ///< gamma / c_p: of ln T, by s
  T density_to_log;         ///< gamma - 1: of ln T, by ln rho
  T log_density;
  T square_of_sound;  ///< c_s0^2
  T heat_to_sound;    ///< c_p (gamma - 1): c_s^2 / T
  T imposed[3];
};

template <typename T>
[[nodiscard]] Constants<T> make_constants(const Parameters& p) {
  const auto as = [](double value) { return static_cast<T>(value); };
  Constants<T> c{};
  c.viscosity = as(p.viscosity);
  c.of_gradient = as(p.viscosity / 3 + p.bulk_viscosity);
  c.bulk_viscosity = as(p.bulk_viscosity);
  c.diffusivity = as(p.diffusivity);
  c.conductivity = as(p.conductivity);
  c.heating = as(p.heating - p.cooling);
  c.ohmic = as(p.diffusivity * p.permeability);
  c.inverse_permeability = as(1 / p.permeability);
  c.inverse_heat_capacity = as(1 / p.heat_capacity);
  c.entropy_to_log = as(p.adiabatic_index / p.heat_capacity);
  c.density_to_log = as(p.adiabatic_index - 1);
  c.log_density = as(p.log_density);
  c.square_of_sound = as(p.sound_speed * p.sound_speed);
  c.heat_to_sound = as(p.heat_capacity * (p.adiabatic_index - 1));
  for (std::size_t i = 0; i < 3; ++i) c.imposed[i] = as(p.imposed_field[i]);
  return c;
}

template <typename T>
HALOCLINE_HOST_DEVICE T exponential(T x) {
  using std::exp;
  return exp(x);
}

template <typename T>
struct Vector {
  T x, y, z;
};
template <typename Arithmetic, typename T>
HALOCLINE_HOST_DEVICE T dot(const Vector<T>& a, const Vector<T>& b) {
  return Arithmetic::multiply_add(a.z, b.z, Arithmetic::multiply_add(a.y, b.y, a.x * b.x));
}
template <typename Arithmetic, typename T>
HALOCLINE_HOST_DEVICE Vector<T> cross(const Vector<T>& a, const Vector<T>& b) {
  return {Arithmetic::multiply_add(a.y, b.z, -(a.z * b.y)), Arithmetic::multiply_add(a.z, b.x, -(a.x * b.z)),
          Arithmetic::multiply_add(a.x, b.y, -(a.y * b.x))};
}
/// a + s b
template <typename Arithmetic, typename T>
HALOCLINE_HOST_DEVICE Vector<T> add_scaled(const Vector<T>& a, T s, const Vector<T>& b) {
  return {Arithmetic::multiply_add(s, b.x, a.x), Arithmetic::multiply_add(s, b.y, a.y),
          Arithmetic::multiply_add(s, b.z, a.z)};
}

template <typename D, typename T>
HALOCLINE_HOST_DEVICE void gradient(const D& d, int field, Vector<T>& to) {
  to = {d.template first<0>(field), d.template first<1>(field), d.template first<2>(field)};
}

/// Its components are the fields from `first` on.
template <typename T, typename D>
HALOCLINE_HOST_DEVICE Vector<T> curl(const D& d, int field) {
  return {d.template first<1>(field + 2) - d.template first<2>(field + 1),
          d.template first<2>(field) - d.template first<0>(field + 2),
          d.template first<0>(field + 1) - d.template first<1>(field)};
}

/// B = curl A + the imposed field.
template <typename T, typename D>
HALOCLINE_HOST_DEVICE Vector<T> magnetic_field(const D& d, const Constants<T>& c) {
  const Vector<T> b = curl<T>(d, ax);
  return {b.x + c.imposed[0], b.y + c.imposed[1], b.z + c.imposed[2]};
}

/// c_s^2 of the cell.
template <typename T>
HALOCLINE_HOST_DEVICE T square_of_sound(T log_density, T specific_entropy, const Constants<T>& c) {
  return c.square_of_sound *
         exponential(c.entropy_to_log * specific_entropy + c.density_to_log * (log_density - c.log_density));
}

/// Second derivatives of a vector whose components are the fields from one on.
template <typename T>
struct SecondDerivatives {
  Vector<T> laplacian;
  Vector<T> gradient_of_divergence;
};
template <typename T, typename D>
HALOCLINE_HOST_DEVICE SecondDerivatives<T> second_derivatives(const D& d, int field) {
  const T xx = d.template second<0>(field);
  const T yy = d.template second<1>(field + 1);
  const T zz = d.template second<2>(field + 2);
  return {{xx + d.template second<1>(field) + d.template second<2>(field),
           yy + d.template second<0>(field + 1) + d.template second<2>(field + 1),
           zz + d.template second<0>(field + 2) + d.template second<1>(field + 2)},
          {xx + d.template mixed<2>(field + 1) + d.template mixed<1>(field + 2),
           yy + d.template mixed<2>(field) + d.template mixed<0>(field + 2),
           zz + d.template mixed<1>(field) + d.template mixed<0>(field + 1)}};
}

/// Time derivatives of the eight fields.
template <typename T>
struct Rates {
  T of[field_count];
};

/// What the vector potential does: its own rates, and what it does to the gas.
template <typename T>
struct Induction {
  Vector<T> rate;
  Vector<T> lorentz;  ///< j x B
  T ohmic_heat;       ///< eta mu_0 j^2
};
template <typename A, typename T, int R, typename Values>
HALOCLINE_HOST_DEVICE Induction<T> induction(const Values& f, const Weights<T, R>& weights, const Constants<T>& c) {
  const Differences<A, T, R, Values> d{f, weights};
  const Vector<T> u{f(ux, 0, 0, 0), f(uy, 0, 0, 0), f(uz, 0, 0, 0)};
  const Vector<T> b = magnetic_field<T>(d, c);
  const SecondDerivatives<T> of_a = second_derivatives<T>(d, ax);
  const Vector<T> current{c.inverse_permeability * (of_a.gradient_of_divergence.x - of_a.laplacian.x),
                          c.inverse_permeability * (of_a.gradient_of_divergence.y - of_a.laplacian.y),
                          c.inverse_permeability * (of_a.gradient_of_divergence.z - of_a.laplacian.z)};
  return {add_scaled<A>(cross<A>(u, b), c.diffusivity, of_a.laplacian), cross<A>(current, b),
          c.ohmic * dot<A>(current, current)};
}

/// The velocity's first derivatives as the traceless rate of shear, and the divergence.
template <typename T>
struct Shear {
  Vector<T> diagonal;
  Vector<T> beside;  ///< yz, xz, xy
  T divergence;

  HALOCLINE_HOST_DEVICE Shear(const Vector<T>& grad_x, const Vector<T>& grad_y, const Vector<T>& grad_z)
      : divergence(grad_x.x + grad_y.y + grad_z.z) {
    constexpr T half = T(1) / 2;
    constexpr T third = T(1) / 3;
    diagonal = {grad_x.x - third * divergence, grad_y.y - third * divergence, grad_z.z - third * divergence};
    beside = {half * (grad_y.z + grad_z.y), half * (grad_x.z + grad_z.x), half * (grad_x.y + grad_y.x)};
  }
  template <typename A>
  HALOCLINE_HOST_DEVICE Vector<T> times(const Vector<T>& v) const {
    const Vector<T> x{diagonal.x, beside.z, beside.y};
    const Vector<T> y{beside.z, diagonal.y, beside.x};
    const Vector<T> z{beside.y, beside.x, diagonal.z};
    return {dot<A>(x, v), dot<A>(y, v), dot<A>(z, v)};
  }
  template <typename A>
  HALOCLINE_HOST_DEVICE T square() const {
    return dot<A>(diagonal, diagonal) + 2 * dot<A>(beside, beside);
  }
};

/// Rates of density, velocity and entropy.
template <typename T>
struct GasRates {
  T lnrho;
  Vector<T> u;
  T entropy;
};
template <typename A, typename T, int R, typename Values>
HALOCLINE_HOST_DEVICE GasRates<T> gas_rates(const Values& f, const Weights<T, R>& weights, const Constants<T>& c,
                                            const Vector<T>& lorentz, T ohmic_heat) {
  const Differences<A, T, R, Values> d{f, weights};
  const Vector<T> u{f(ux, 0, 0, 0), f(uy, 0, 0, 0), f(uz, 0, 0, 0)};
  const T log_rho = f(mhd::lnrho, 0, 0, 0);
  const T inverse_rho = exponential(-log_rho);
  const T sound2 = square_of_sound(log_rho, f(mhd::entropy, 0, 0, 0), c);
  Vector<T> grad_rho;
  gradient(d, mhd::lnrho, grad_rho);
  Vector<T> grad_s;
  gradient(d, mhd::entropy, grad_s);
  Vector<T> grad_x;
  gradient(d, ux, grad_x);
  Vector<T> grad_y;
  gradient(d, uy, grad_y);
  Vector<T> grad_z;
  gradient(d, uz, grad_z);
  const Shear<T> shear(grad_x, grad_y, grad_z);
  const SecondDerivatives<T> of_u = second_derivatives<T>(d, ux);
  const T twice = 2 * c.viscosity;

  Vector<T> force{-dot<A>(u, grad_x), -dot<A>(u, grad_y), -dot<A>(u, grad_z)};
  force = add_scaled<A>(force, -sound2, add_scaled<A>(grad_rho, c.inverse_heat_capacity, grad_s));
  force = add_scaled<A>(force, inverse_rho, lorentz);
  force = add_scaled<A>(force, c.viscosity, of_u.laplacian);
  force = add_scaled<A>(force, c.of_gradient, of_u.gradient_of_divergence);
  force = add_scaled<A>(force, twice, shear.template times<A>(grad_rho));

  // Heat: ln T is linear in s and ln rho, and div(K grad T) is K T (laplacian ln T + (grad ln T)^2).
  const Vector<T> grad_t{A::multiply_add(c.entropy_to_log, grad_s.x, c.density_to_log * grad_rho.x),
                         A::multiply_add(c.entropy_to_log, grad_s.y, c.density_to_log * grad_rho.y),
                         A::multiply_add(c.entropy_to_log, grad_s.z, c.density_to_log * grad_rho.z)};
  const T laplacian_t =
      A::multiply_add(c.entropy_to_log, d.laplacian(mhd::entropy), c.density_to_log * d.laplacian(mhd::lnrho));
  const T conducted = c.conductivity * inverse_rho * (laplacian_t + dot<A>(grad_t, grad_t));
  const T in_mass =
      A::multiply_add(twice, shear.template square<A>(), c.bulk_viscosity * shear.divergence * shear.divergence);
  const T heat = A::multiply_add(inverse_rho, c.heating + ohmic_heat, in_mass);
  return {-(dot<A>(u, grad_rho) + shear.divergence), force,
          A::multiply_add(c.heat_to_sound / sound2, heat, conducted - dot<A>(u, grad_s))};
}

template <typename A, typename T, int R, typename Values>
HALOCLINE_HOST_DEVICE Rates<T> rates(const Values& f, const Weights<T, R>& weights, const Constants<T>& c) {
  const Induction<T> magnetic = induction<A>(f, weights, c);
  const GasRates<T> gas = gas_rates<A>(f, weights, c, magnetic.lorentz, magnetic.ohmic_heat);
  return {{gas.lnrho, gas.u.x, gas.u.y, gas.u.z, gas.entropy, magnetic.rate.x, magnetic.rate.y, magnetic.rate.z}};
}

}  // namespace mhd
