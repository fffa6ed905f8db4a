// SPDX-License-Identifier: BSD-3-Clause
// The program's own boxes and arrays: vectors as an array of structures, with a halo wider than the field's and a gap in each row.
#include "cells.h"
#include "check.h"

enum { COMPONENTS = 3, HALO = 2, GAP = 5 };

typedef struct own_array {
  halocline_box box;
  int64_t row, plane;  // doubles
  double* cells;
} own_array;

static double* at(const own_array* a, int64_t x, int64_t y, int64_t z) {
  return a->cells + (z - a->box.lo[2] + HALO) * a->plane + (y - a->box.lo[1] + HALO) * a->row +
         (x - a->box.lo[0] + HALO) * COMPONENTS;
}

static halocline_array make(own_array* a, halocline_box box) {
  halocline_array array = {.components = COMPONENTS, .element = HALOCLINE_F64, .component_stride = sizeof(double)};
  a->box = box;
  for (int dim = 0; dim < 3; ++dim) {
    array.extent[dim] = box.hi[dim] - box.lo[dim] + 2 * HALO;
    array.halo_below[dim] = array.halo_above[dim] = HALO;
  }
  a->row = array.extent[0] * COMPONENTS + GAP;
  a->plane = a->row * array.extent[1];
  a->cells = malloc((size_t)(a->plane * array.extent[2]) * sizeof(double));
  for (int64_t i = 0; i < a->plane * array.extent[2]; ++i) a->cells[i] = -1;
  array.data = a->cells;
  array.stride[0] = COMPONENTS * (int64_t)sizeof(double);
  array.stride[1] = a->row * (int64_t)sizeof(double);
  array.stride[2] = a->plane * (int64_t)sizeof(double);
  for (int64_t z = box.lo[2]; z < box.hi[2]; ++z)
    for (int64_t y = box.lo[1]; y < box.hi[1]; ++y)
      for (int64_t x = box.lo[0]; x < box.hi[0]; ++x)
        for (int c = 0; c < COMPONENTS; ++c) at(a, x, y, z)[c] = value_of(x, y, z, c);
  return array;
}

void own_arrays(void) {
  const halocline_stencil stencil = halocline_stencil_box(1);
  const halocline_options options = host_options();
  // Uneven, and in an order of their own.
  const halocline_box boxes[2] = {{{7, 0, 0}, {EXTENT_X, EXTENT_Y, EXTENT_Z}}, {{0, 0, 0}, {7, EXTENT_Y, EXTENT_Z}}};
  halocline_domain* domain = NULL;
  halocline_field u;
  halocline_field_options vectors = HALOCLINE_FIELD_OPTIONS_INIT;
  vectors.components = COMPONENTS;
  OK(halocline_domain_create_from_boxes(2, boxes, &stencil, &options, &domain));
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F64, &vectors, &u));
  OK(halocline_domain_plan(domain));
  own_array own[2];
  for (int32_t s = 0; s < 2; ++s) {
    halocline_subdomain found;
    OK(halocline_subdomain_get(domain, s, &found));
    CHECK(memcmp(&found.owned, &boxes[s], sizeof found.owned) == 0);
    halocline_array array = make(&own[s], boxes[s]);
    array.components = 2;
    FAILS(halocline_domain_use_array(domain, u, s, 0, &array), HALOCLINE_INVALID_ARGUMENT, "components");
    array.components = COMPONENTS;
    array.element = HALOCLINE_F32;
    FAILS(halocline_domain_use_array(domain, u, s, 0, &array), HALOCLINE_INVALID_ARGUMENT, "f32");
    array.element = HALOCLINE_F64;
    array.extent[0] += 1;
    FAILS(halocline_domain_use_array(domain, u, s, 0, &array), HALOCLINE_INVALID_ARGUMENT, "");
    array.extent[0] -= 1;
    OK(halocline_domain_use_array(domain, u, s, 0, &array));
  }
  OK(halocline_domain_realize(domain));
  halocline_view view;
  OK(halocline_subdomain_view(domain, 0, u, 0, &view));
  CHECK(view.data == at(&own[0], 7, 0, 0) && view.component_stride == sizeof(double) && view.components == COMPONENTS);
  OK(halocline_domain_exchange(domain, 0, NULL));
  OK(halocline_domain_synchronize(domain));
  for (int s = 0; s < 2; ++s) {
    const halocline_box* b = &own[s].box;
    for (int64_t z = b->lo[2] - HALO; z < b->hi[2] + HALO; ++z)
      for (int64_t y = b->lo[1] - HALO; y < b->hi[1] + HALO; ++y)
        for (int64_t x = b->lo[0] - HALO; x < b->hi[0] + HALO; ++x) {
          const int filled = x >= b->lo[0] - 1 && x <= b->hi[0] && y >= b->lo[1] - 1 && y <= b->hi[1] &&
                             z >= b->lo[2] - 1 && z <= b->hi[2];
          for (int c = 0; c < COMPONENTS; ++c) CHECK(at(&own[s], x, y, z)[c] == (filled ? value_of(x, y, z, c) : -1));
        }
  }
  OK(halocline_domain_close(domain));
  OK(halocline_domain_destroy(&domain));
  for (int s = 0; s < 2; ++s) free(own[s].cells);
}
