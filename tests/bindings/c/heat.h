// SPDX-License-Identifier: BSD-3-Clause
#ifndef TESTS_BINDINGS_C_HEAT_H
#define TESTS_BINDINGS_C_HEAT_H

#include <halocline.h>

typedef struct heat_result {
  long cells;  // of this rank
  long wrong;  // that differ from the serial solution
} heat_result;

// Solves the heat equation with the domain, which has no field yet, and compares each cell of this rank with a serial loop. Closes and
// destroys the domain.
heat_result heat_run(halocline_domain* domain);

extern const int64_t heat_extent[3];

#endif
