// SPDX-License-Identifier: BSD-3-Clause
// Open ends, which a function of the program fills, and a staggered field, which has one layer more there.
#include "cells.h"
#include "check.h"

typedef struct fills {
  halocline_domain* domain;
  int calls;
  int sides[3][2];
} fills;

static void fill_part(const halocline_box* part, void* user) {
  const halocline_view* v = user;
  for (int64_t z = part->lo[2]; z < part->hi[2]; ++z)
    for (int64_t y = part->lo[1]; y < part->hi[1]; ++y)
      for (int64_t x = part->lo[0]; x < part->hi[0]; ++x) *(float*)halocline_cell(v, x, y, z) = 77;
}

static halocline_status fill(int32_t subdomain, halocline_field field, int32_t dimension, int32_t side,
                             const halocline_box* box, void* user) {
  static halocline_view views[8];  // as long as the work
  fills* f = user;
  halocline_view* v = &views[f->calls++ % 8];
  ++f->sides[dimension][side];
  const halocline_status status = halocline_subdomain_view(f->domain, subdomain, field, 0, v);
  return status != HALOCLINE_SUCCESS ? status : halocline_subdomain_launch(f->domain, subdomain, box, fill_part, v);
}

void open_boundaries(void) {
  const halocline_stencil stencil = halocline_stencil_star(1);
  halocline_options options = host_options();
  options.boundaries[0] = HALOCLINE_OPEN;
  halocline_field_options staggered = HALOCLINE_FIELD_OPTIONS_INIT;
  staggered.staggered[0] = 1;
  halocline_domain* domain = NULL;
  halocline_field u;
  OK(halocline_domain_create(feature_extent, &stencil, &options, &domain));
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F32, &staggered, &u));
  OK(halocline_domain_realize(domain));
  FAILS(halocline_domain_exchange(domain, 0, NULL), HALOCLINE_INVALID_ARGUMENT, "on_open_boundary");
  fills f = {.domain = domain};
  OK(halocline_domain_on_open_boundary(domain, fill, &f));
  OK(halocline_domain_exchange(domain, 0, NULL));
  OK(halocline_domain_synchronize(domain));
  CHECK(f.calls > 0 && f.sides[HALOCLINE_X][HALOCLINE_LOWER] > 0 && f.sides[HALOCLINE_X][HALOCLINE_UPPER] > 0);
  CHECK(f.sides[HALOCLINE_Y][HALOCLINE_LOWER] == 0);
  int ends = 0;
  for (int32_t s = 0; s < 2; ++s) {
    halocline_view v;
    OK(halocline_subdomain_view(domain, s, u, 0, &v));
    if (v.owned.lo[0] == 0) {
      CHECK(*(float*)halocline_cell(&v, -1, v.owned.lo[1], v.owned.lo[2]) == 77);
      ++ends;
    }
    if (v.owned.hi[0] == EXTENT_X + 1) {
      CHECK(*(float*)halocline_cell(&v, EXTENT_X + 1, v.owned.lo[1], v.owned.lo[2]) == 77);
      ++ends;
    }
  }
  CHECK(ends >= 2);
  const int before = f.calls;
  OK(halocline_domain_fill_open_boundaries(domain, 0));
  OK(halocline_domain_synchronize(domain));
  CHECK(f.calls > before);
  OK(halocline_domain_on_open_boundary(domain, NULL, NULL));
  const int after = f.calls;
  OK(halocline_domain_exchange(domain, 0, NULL));
  CHECK(f.calls == after);
  OK(halocline_domain_close(domain));
  OK(halocline_domain_destroy(&domain));
}
