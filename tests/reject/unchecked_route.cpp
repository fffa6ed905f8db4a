// SPDX-License-Identifier: BSD-3-Clause
// A number does not convert to a transport.
// expect: (could not convert|no viable conversion|cannot convert|cannot initialize|invalid conversion)
#include "halocline/routing.hpp"

halocline::routing::Route route() {
  halocline::routing::Route made;
#ifdef HC_CONTROL
  made.transport = halocline::routing::Transport::self;
#else
  halocline::routing::Transport number = 0;
  made.transport = number;
#endif
  return made;
}
