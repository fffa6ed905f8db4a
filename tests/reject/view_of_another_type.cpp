// SPDX-License-Identifier: BSD-3-Clause
// A field of float gives a view of float, not of double.
// expect: (conversion|convert)
#include "halocline/domain.hpp"

#ifdef HC_CONTROL
using Element = float;
#else
using Element = double;
#endif
halocline::View<Element> look(const halocline::Subdomain& subdomain, halocline::Field<float> field) {
  return subdomain.view(field);
}
