// SPDX-License-Identifier: BSD-3-Clause
// What the page's blocks use.
#include <iostream>
#include "machine/interconnect.hpp"
extern const hc::machine::MachineMap& map;
