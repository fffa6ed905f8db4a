// SPDX-License-Identifier: BSD-3-Clause
// The update of boundaries by parts.
#include <stdatomic.h>
#include <threads.h>
#include <time.h>

#include "cells.h"
#include "check.h"

static double* at(const halocline_view* view, int64_t x, int64_t y, int64_t z) { return halocline_cell(view, x, y, z); }

typedef struct parts {
  halocline_domain* domain;
  int calls;
  int64_t cells;
  halocline_view views[2];
} parts;

static atomic_int parts_done;  // of the first subdomain
static const halocline_view* first_view;

// Work that was enqueued before the boundary's, in the subdomain's stream: ends after it.
static void wait_for_part(const halocline_box* part, void* user) {
  (void)part, (void)user;
  const time_t begin = time(NULL);
  while (atomic_load(&parts_done) == 0) {
    if (time(NULL) > begin + 20) {
      fprintf(stderr, "FAILED: parts of the boundary wait for the interior\n");
      exit(1);
    }
    thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

static void check_halos(const halocline_box* part, void* user) {
  const halocline_view* v = user;
  for (int64_t z = part->lo[2]; z < part->hi[2]; ++z)
    for (int64_t y = part->lo[1]; y < part->hi[1]; ++y)
      for (int64_t x = part->lo[0]; x < part->hi[0]; ++x)
        if (*at(v, x - 1, y, z) != value_of(x - 1, y, z, 0) || *at(v, x, y, z + 1) != value_of(x, y, z + 1, 0)) {
          fprintf(stderr, "FAILED: a part of the boundary was updated before its halos\n");
          exit(1);
        }
  if (v == first_view) atomic_fetch_add(&parts_done, 1);
}

static halocline_status update(int32_t subdomain, int32_t count, const halocline_box* boxes, void* user) {
  parts* p = user;
  ++p->calls;
  for (int32_t b = 0; b < count; ++b) {
    const halocline_box* box = &boxes[b];
    p->cells += (box->hi[0] - box->lo[0]) * (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]);
    const halocline_status status =
        halocline_subdomain_launch(p->domain, subdomain, box, check_halos, &p->views[subdomain]);
    if (status != HALOCLINE_SUCCESS) return status;
  }
  return HALOCLINE_SUCCESS;
}

// Boundaries by parts, in streams of their own, as their halos arrive.
void finish_with(void) {
  const halocline_stencil stencil = halocline_stencil_star(1);
  halocline_options options = host_options();
  options.host_workers = 4;
  halocline_field u;
  halocline_field_options two = HALOCLINE_FIELD_OPTIONS_INIT;
  two.buffers = 2;
  halocline_domain* domain = NULL;
  OK(halocline_domain_create(feature_extent, &stencil, &options, &domain));
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F64, &two, &u));
  OK(halocline_domain_realize(domain));
  set_cells(domain, u);
  parts p = {.domain = domain};
  first_view = &p.views[0];
  int64_t boundary = 0;
  for (int32_t s = 0; s < 2; ++s) {
    halocline_subdomain own;
    OK(halocline_subdomain_view(domain, s, u, 0, &p.views[s]));
    OK(halocline_subdomain_get(domain, s, &own));
    CHECK(own.id == s && own.device == s && own.native_device == -1 && own.wraps[0] == 0);
    const halocline_box* boxes[2] = {&own.owned, &own.interior};
    for (int i = 0; i < 2; ++i)
      boundary += (i == 0 ? 1 : -1) * (boxes[i]->hi[0] - boxes[i]->lo[0]) * (boxes[i]->hi[1] - boxes[i]->lo[1]) *
                  (boxes[i]->hi[2] - boxes[i]->lo[2]);
  }
  OK(halocline_domain_start_exchange(domain, 0, NULL));
  const halocline_box one_cell = {{0, 0, 0}, {1, 1, 1}};
  OK(halocline_subdomain_launch(domain, 0, &one_cell, wait_for_part, NULL));
  OK(halocline_domain_finish_exchange_with(domain, update, &p));
  OK(halocline_domain_synchronize(domain));
  CHECK(p.calls > 0 && p.cells == boundary);
  // Interiors of whole tiles, and how many boxes there are.
  const int64_t tile[3] = {4, 4, 4};
  OK(halocline_domain_use_tiles(domain, tile));
  halocline_subdomain tiled;
  OK(halocline_subdomain_get(domain, 0, &tiled));
  CHECK((tiled.interior.hi[0] - tiled.interior.lo[0]) % 4 == 0);
  int32_t count = 0;
  OK(halocline_subdomain_boundary(domain, 0, 0, NULL, &count));
  CHECK(count > 0);
  OK(halocline_domain_close(domain));
  OK(halocline_domain_destroy(&domain));
}
