// SPDX-License-Identifier: BSD-3-Clause
// One process and two host devices, without MPI.
#include "check.h"
#include "heat.h"

long checks = 0;

int main(void) {
  const halocline_stencil stencil = halocline_stencil_star(1);
  halocline_options options = HALOCLINE_OPTIONS_INIT;
  options.backend = HALOCLINE_BACKEND_HOST;
  options.devices = 2;
  halocline_domain* domain = NULL;
  OK(halocline_domain_create(heat_extent, &stencil, &options, &domain));
  const heat_result result = heat_run(domain);
  printf("heat: %ld cells, %ld wrong\n", result.cells, result.wrong);
  return result.cells == 20 * 18 * 15 && result.wrong == 0 ? 0 : 1;
}
