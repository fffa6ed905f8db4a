// SPDX-License-Identifier: BSD-3-Clause
// The smoothing of hello_halo.cpp in C, on two host devices of one process: interiors are updated while halos are under way.
#include <halocline.h>
#include <stdio.h>
#include <stdlib.h>

static void check(halocline_status status) {
  if (status == HALOCLINE_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", halocline_status_name(status), halocline_last_error());
  exit(1);
}

typedef struct step {
  halocline_view now, next;
} step;

#define AT(view, x, y, z) (*(double*)halocline_cell(&(view), x, y, z))

static void smooth(const halocline_box* box, void* user) {
  const step* s = user;
  for (int64_t z = box->lo[2]; z < box->hi[2]; ++z)
    for (int64_t y = box->lo[1]; y < box->hi[1]; ++y)
      for (int64_t x = box->lo[0]; x < box->hi[0]; ++x)
        AT(s->next, x, y, z) = (AT(s->now, x - 1, y, z) + AT(s->now, x + 1, y, z)) / 2;
}

static void alternate(const halocline_box* box, void* user) {
  const step* s = user;
  for (int64_t z = box->lo[2]; z < box->hi[2]; ++z)
    for (int64_t y = box->lo[1]; y < box->hi[1]; ++y)
      for (int64_t x = box->lo[0]; x < box->hi[0]; ++x) AT(s->now, x, y, z) = x % 4 < 2 ? 2 : 0;
}

int main(void) {
  enum { DEVICES = 2, STEPS = 4, MOST_BOXES = 26 };
  const int64_t extent[3] = {64, 64, 64};
  const halocline_stencil stencil = {.lower = {1, 0, 0}, .upper = {1, 0, 0}};
  const halocline_options options = {.size = sizeof options, .backend = HALOCLINE_BACKEND_HOST, .devices = DEVICES};
  const halocline_field_options two = {.size = sizeof two, .buffers = 2};
  halocline_domain* domain = NULL;
  halocline_field u;
  check(halocline_domain_create(extent, &stencil, &options, &domain));
  check(halocline_domain_add_field(domain, "u", HALOCLINE_F64, &two, &u));
  check(halocline_domain_realize(domain));  // discover, partition, place, allocate, route
  const char* text = NULL;
  check(halocline_domain_explain(domain, &text));  // what was decided, and why
  puts(text);

  step steps[STEPS][DEVICES];  // as long as the work that refers to them
  halocline_subdomain own[DEVICES];
  for (int32_t s = 0; s < DEVICES; ++s) {
    check(halocline_subdomain_get(domain, s, &own[s]));
    check(halocline_subdomain_view(domain, s, u, 0, &steps[0][s].now));
    check(halocline_subdomain_launch(domain, s, &own[s].owned, alternate, &steps[0][s]));
  }
  for (int i = 0; i < STEPS; ++i) {
    check(halocline_domain_start_exchange(domain, 0, NULL));
    for (int32_t s = 0; s < DEVICES; ++s) {
      check(halocline_subdomain_view(domain, s, u, 0, &steps[i][s].now));
      check(halocline_subdomain_view(domain, s, u, 1, &steps[i][s].next));
      check(
          halocline_subdomain_launch(domain, s, &own[s].interior, smooth, &steps[i][s]));  // while halos are under way
    }
    check(halocline_domain_finish_exchange(domain));
    for (int32_t s = 0; s < DEVICES; ++s) {
      halocline_box boxes[MOST_BOXES];
      int32_t count = 0;
      check(halocline_subdomain_boundary(domain, s, MOST_BOXES, boxes, &count));
      for (int32_t b = 0; b < count; ++b)
        check(halocline_subdomain_launch(domain, s, &boxes[b], smooth, &steps[i][s]));  // with halos
    }
    check(halocline_domain_swap(domain, u));
  }
  check(halocline_domain_synchronize(domain));

  // Cells of 2, 2, 0, 0 become 1, 1, 1, 1 in one step, and stay so.
  long cells = 0, wrong = 0;
  for (int32_t s = 0; s < DEVICES; ++s) {
    halocline_view v;
    check(halocline_subdomain_view(domain, s, u, 0, &v));
    for (int64_t z = v.owned.lo[2]; z < v.owned.hi[2]; ++z)
      for (int64_t y = v.owned.lo[1]; y < v.owned.hi[1]; ++y)
        for (int64_t x = v.owned.lo[0]; x < v.owned.hi[0]; ++x, ++cells) wrong += AT(v, x, y, z) != 1;
  }
  printf("%ld cells, %ld wrong\n", cells, wrong);
  check(halocline_domain_close(domain));
  check(halocline_domain_destroy(&domain));
  return wrong == 0 ? 0 : 1;
}
