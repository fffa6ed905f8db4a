// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "halocline/view.hpp"

// Central differences as sums over a stencil. Values is what a cell sees of its surroundings: values(field, dx, dy, dz) is the
// field's value so many cells away. Arithmetic::multiply_add(a, b, c) is a b + c, in one rounding or two; nothing else fuses, so
// that all code that has the same arithmetic comes to the same bits.
namespace mhd {

/// Two roundings.
struct Separate {
  template <typename T>
  HALOCLINE_HOST_DEVICE static T multiply_add(T a, T b, T c) {
    return a * b + c;
  }
};

/// What differences multiply by, spacing included: of cells 1, 2, ... away, and of the cell itself.
template <typename T, int Stencil>
struct Weights {
  static constexpr auto reach = static_cast<std::size_t>(Stencil);
  T first[3][reach];   ///< x, y, z: of f(+k) - f(-k)
  T second[3][reach];  ///< x, y, z: of f(+k) + f(-k)
  T second_centre[3];  ///< of f
  T mixed[3][reach];   ///< yz, xz, xy, by the dimension that is left out: of f(k, k) - f(k, -k) + f(-k, -k) - f(-k, k)
};

/// Of the fields' derivatives at a cell. Dim: 0 to 2 for x, y, z.
template <typename Arithmetic, typename T, int R, typename Values>
struct Differences {
  const Values& f;
  const Weights<T, R>& w;

  template <int Dim>
  HALOCLINE_HOST_DEVICE T along(int field, int k) const {
    return f(field, Dim == 0 ? k : 0, Dim == 1 ? k : 0, Dim == 2 ? k : 0);
  }

  template <int Dim>
  HALOCLINE_HOST_DEVICE T first(int field) const {
    T sum = w.first[Dim][0] * (along<Dim>(field, 1) - along<Dim>(field, -1));
    for (int k = 2; k <= R; ++k) {
      sum = Arithmetic::multiply_add(w.first[Dim][k - 1], along<Dim>(field, k) - along<Dim>(field, -k), sum);
    }
    return sum;
  }

  template <int Dim>
  HALOCLINE_HOST_DEVICE T second(int field) const {
    T sum = w.second_centre[Dim] * f(field, 0, 0, 0);
    for (int k = 1; k <= R; ++k) {
      sum = Arithmetic::multiply_add(w.second[Dim][k - 1], along<Dim>(field, k) + along<Dim>(field, -k), sum);
    }
    return sum;
  }

  /// In the plane of the two dimensions that are not Without, on its diagonals: a second difference along one diagonal, less
  /// that along the other, is four times the mixed derivative.
  template <int Without>
  HALOCLINE_HOST_DEVICE T mixed(int field) const {
    T sum = w.mixed[Without][0] * cross<Without>(field, 1);
    for (int k = 2; k <= R; ++k) {
      sum = Arithmetic::multiply_add(w.mixed[Without][k - 1], cross<Without>(field, k), sum);
    }
    return sum;
  }

  HALOCLINE_HOST_DEVICE T laplacian(int field) const { return second<0>(field) + second<1>(field) + second<2>(field); }

 private:
  /// a cells in the lower of the plane's two dimensions, b in the higher.
  template <int Without>
  HALOCLINE_HOST_DEVICE T in_plane(int field, int a, int b) const {
    return f(field, Without == 0 ? 0 : a, Without == 0 ? a : (Without == 1 ? 0 : b), Without == 2 ? 0 : b);
  }
  template <int Without>
  HALOCLINE_HOST_DEVICE T cross(int field, int k) const {
    return (in_plane<Without>(field, k, k) - in_plane<Without>(field, k, -k)) +
           (in_plane<Without>(field, -k, -k) - in_plane<Without>(field, -k, k));
  }
};

}  // namespace mhd
