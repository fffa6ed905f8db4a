// SPDX-License-Identifier: BSD-3-Clause
// What the page's blocks use.
#include <cstdint>
#include <string>
extern hc::Domain& domain;
extern hc::Checkpoints& checkpoints;
extern const std::int64_t step, steps;
extern const double dt;
void one_step();
