// SPDX-License-Identifier: BSD-3-Clause
// A domain owns device memory and connections; a copy would share them.
// expect: deleted
#include "halocline/domain.hpp"

#ifdef HC_CONTROL
void take(halocline::Domain& domain) {
  halocline::Domain& same = domain;
  same.exchange();
}
#else
void take(halocline::Domain& domain) {
  halocline::Domain second(domain);
  second.exchange();
}
#endif
