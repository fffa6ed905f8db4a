// SPDX-License-Identifier: BSD-3-Clause
// An exchange moves known element types; a structure is not one of them.
// expect: no Element for this type
#include "halocline/field.hpp"

struct Spin {
  float up;
  float down;
};
#ifdef HC_CONTROL
constexpr auto element = halocline::element_of<float>();
#else
constexpr auto element = halocline::element_of<Spin>();
#endif
