// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/probe.hpp"

namespace halocline::machine {

const HostProbe& this_host() {
  static const HostProbe host = probe_host();
  return host;
}

}  // namespace halocline::machine
