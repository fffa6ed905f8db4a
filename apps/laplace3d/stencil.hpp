// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/view.hpp"
#include "laplace3d/problem.hpp"

// The arithmetic of a step, in one order for hosts, GPUs and the serial solution. Of a plane (one z) a cell needs the sum of
// its four neighbours by faces (`sides`) and of the four by edges (`edges`); of the planes below and above their centres
// and, with 19 points, their sides.
namespace laplace3d {

template <typename T>
struct Weights {
  T alpha;
  T beta;
  T gamma;

  explicit Weights(const Coefficients& of)
      : alpha(static_cast<T>(of.alpha)), beta(static_cast<T>(of.beta)), gamma(static_cast<T>(of.gamma)) {}
};

template <typename T>
HALOCLINE_HOST_DEVICE inline T sum_of(T left, T right, T below_y, T above_y) {
  return ((left + right) + below_y) + above_y;
}

template <typename T>
HALOCLINE_HOST_DEVICE inline T weigh7(const Weights<T>& w, T centre, T sides, T below, T above) {
  return w.alpha * centre + w.beta * ((sides + below) + above);
}

/// edges: of the plane: (x-1, y-1), (x+1, y-1), (x-1, y+1), (x+1, y+1), summed in this order.
template <typename T>
HALOCLINE_HOST_DEVICE inline T weigh19(const Weights<T>& w, T centre, T sides, T edges, T below, T above, T sides_below,
                                       T sides_above) {
  return weigh7(w, centre, sides, below, above) + w.gamma * ((edges + sides_below) + sides_above);
}

}  // namespace laplace3d
