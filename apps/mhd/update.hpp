// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mhd/equations.hpp"
#include "mhd/runge_kutta.hpp"
#include "mhd/weights.hpp"

namespace mhd {

/// All that a substep multiplies by, as a kernel takes it.
template <typename T, int R>
struct Scheme {
  Weights<T, R> weights;
  Constants<T> constants;
};
template <typename T, int R>
[[nodiscard]] Scheme<T, R> make_scheme(const Parameters& parameters) {
  return {make_weights<T, R>(parameters.spacing), make_constants<T>(parameters)};
}

/// A field's value after a substep. before() is only called where carry is not 0.
template <typename Arithmetic, typename T, typename Before>
HALOCLINE_HOST_DEVICE T updated(T now, T rate, const Substep<T>& substep, Before&& before) {
  T change = substep.advance * rate;
  if (substep.carry != T(0)) change = Arithmetic::multiply_add(substep.carry, now - before(), change);
  return now + change;
}

/// All eight: before(field) is the value in the buffer that is written, store(field, value) writes it.
template <typename Arithmetic, typename T, int R, typename Values, typename Before, typename Store>
HALOCLINE_HOST_DEVICE void update_cell(const Values& f, const Scheme<T, R>& scheme, const Substep<T>& substep,
                                       Before&& before, Store&& store) {
  const Rates<T> rate = rates<Arithmetic, T, R>(f, scheme.weights, scheme.constants);
  for (int i = 0; i < field_count; ++i) {
    store(i, updated<Arithmetic>(f(i, 0, 0, 0), rate.of[i], substep, [&] { return before(i); }));
  }
}

}  // namespace mhd
