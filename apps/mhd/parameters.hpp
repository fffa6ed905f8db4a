// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "halocline/box.hpp"
#include "halocline/stencil.hpp"

namespace mhd {

/// The eight fields, in the order in which they are added to a domain.
inline constexpr int field_count = 8;
enum FieldIndex : int { lnrho, ux, uy, uz, entropy, ax, ay, az };
inline constexpr std::array<std::string_view, field_count> field_names{"lnrho", "ux", "uy", "uz",
                                                                       "s",     "ax", "ay", "az"};

/// The orders of accuracy of the central differences that there are.
inline constexpr std::array<int, 4> orders{2, 4, 6, 8};

/// What a domain must send for differences of an order: order / 2 cells beyond faces and edges. Mixed derivatives are taken on
/// the diagonals of planes, so that no cell beyond a corner is read. Throws InvalidArgument for an order that there is not.
[[nodiscard]] halocline::Stencil stencil(int order);

/// The fluid, and the box that it is in. Units are the user's own, with magnetic permeability and so on as they say.
///
/// The gas is ideal: c_s^2 = c_s0^2 exp(gamma s / c_p + (gamma - 1) (ln rho - ln rho_0)) and
/// T = c_s^2 / (c_p (gamma - 1)), so that s is 0 at density rho_0 and sound speed c_s0.
struct Parameters {
  double viscosity = 5e-3;       ///< nu, kinematic
  double bulk_viscosity = 1e-2;  ///< zeta, kinematic
  double diffusivity = 5e-3;     ///< eta, magnetic
  double conductivity = 1e-3;    ///< K, of heat by radiation; the same everywhere
  double heating = 0;            ///< H, power in a volume
  double cooling = 0;            ///< C, the same
  double permeability = 1;       ///< mu_0
  double heat_capacity = 1;      ///< c_p, at constant pressure
  double adiabatic_index = 5.0 / 3.0;
  double sound_speed = 1;                    ///< c_s0
  double log_density = 0;                    ///< ln rho_0
  std::array<double, 3> imposed_field{};     ///< a uniform field on top of curl A: none that is periodic has one
  std::array<double, 3> spacing{1.0, 1, 1};  ///< of cells, in x, y, z

  /// c_v = c_p / gamma
  [[nodiscard]] double heat_capacity_at_volume() const { return heat_capacity / adiabatic_index; }
  /// Throws InvalidArgument that names what is not finite, not positive, or negative where it may not be.
  void check() const;
};

/// Cells that are cubes, 2 pi / extent.x wide.
[[nodiscard]] std::array<double, 3> default_spacing(const halocline::Vec3& extent);

}  // namespace mhd
