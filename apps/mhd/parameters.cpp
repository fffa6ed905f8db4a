// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/parameters.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "halocline/error.hpp"

namespace mhd {
namespace {

void refuse(const char* name, double value, const char* allowed) {
  throw halocline::InvalidArgument(fmt::format("mhd: {} is {}; allowed is {}", name, value, allowed));
}

void check_positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value)) refuse(name, value, "a finite number above 0");
}

void check_not_negative(const char* name, double value) {
  if (!(value >= 0) || !std::isfinite(value)) refuse(name, value, "0 or a finite number above");
}

void check_finite(const char* name, double value) {
  if (!std::isfinite(value)) refuse(name, value, "a finite number");
}

}  // namespace

halocline::Stencil stencil(int order) {
  if (std::find(orders.begin(), orders.end(), order) == orders.end()) {
    throw halocline::InvalidArgument(fmt::format("mhd: the order is {}; allowed are 2, 4, 6 and 8", order));
  }
  return halocline::Stencil::box(order / 2).without_corners();
}

void Parameters::check() const {
  check_not_negative("viscosity", viscosity);
  check_not_negative("bulk viscosity", bulk_viscosity);
  check_not_negative("diffusivity", diffusivity);
  check_not_negative("conductivity", conductivity);
  check_finite("heating", heating);
  check_finite("cooling", cooling);
  check_positive("permeability", permeability);
  check_positive("heat capacity", heat_capacity);
  if (!(adiabatic_index > 1) || !std::isfinite(adiabatic_index)) {
    refuse("adiabatic index", adiabatic_index, "a finite number above 1");
  }
  check_positive("sound speed", sound_speed);
  check_finite("log density", log_density);
  for (const double b : imposed_field) check_finite("imposed field", b);
  for (const double h : spacing) check_positive("spacing", h);
}

std::array<double, 3> default_spacing(const halocline::Vec3& extent) {
  const double h = 2 * std::numbers::pi / static_cast<double>(extent.x);
  return {h, h, h};
}

}  // namespace mhd
