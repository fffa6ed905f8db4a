// SPDX-License-Identifier: BSD-3-Clause
// The heat equation on a box that is periodic in x and y: interiors are updated while halos are under way. Bit for bit as a serial loop.
#include "heat.h"

#include "check.h"

enum { NX = 20, NY = 18, NZ = 15, STEPS = 12 };
const int64_t heat_extent[3] = {NX, NY, NZ};

static double initial(int64_t x, int64_t y, int64_t z) { return (double)((x * 7 + y * 13 + z * 29) % 31); }
// In the same order in both programs, so that the results are the same bits.
static double updated(double c, double xl, double xu, double yl, double yu, double zl, double zu) {
  return c + 0.1 * (xl + xu + yl + yu + zl + zu - 6 * c);
}

static double serial[2][NZ][NY][NX];

static void solve_serially(void) {
  for (int z = 0; z < NZ; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x) serial[0][z][y][x] = initial(x, y, z);
  for (int step = 0; step < STEPS; ++step) {
    double(*now)[NY][NX] = serial[step % 2];
    double(*next)[NY][NX] = serial[(step + 1) % 2];
    for (int z = 0; z < NZ; ++z)
      for (int y = 0; y < NY; ++y)
        for (int x = 0; x < NX; ++x)
          next[z][y][x] =
              updated(now[z][y][x], now[z][y][(x + NX - 1) % NX], now[z][y][(x + 1) % NX], now[z][(y + NY - 1) % NY][x],
                      now[z][(y + 1) % NY][x], now[(z + NZ - 1) % NZ][y][x], now[(z + 1) % NZ][y][x]);
  }
}

typedef struct update {
  halocline_view now;
  halocline_view next;
} update;

#define AT(view, x, y, z) (*(double*)halocline_cell(&(view), x, y, z))

static void update_part(const halocline_box* part, void* user) {
  const update* u = user;
  for (int64_t z = part->lo[2]; z < part->hi[2]; ++z)
    for (int64_t y = part->lo[1]; y < part->hi[1]; ++y)
      for (int64_t x = part->lo[0]; x < part->hi[0]; ++x)
        AT(u->next, x, y, z) =
            updated(AT(u->now, x, y, z), AT(u->now, x - 1, y, z), AT(u->now, x + 1, y, z), AT(u->now, x, y - 1, z),
                    AT(u->now, x, y + 1, z), AT(u->now, x, y, z - 1), AT(u->now, x, y, z + 1));
}

static void initialise(const halocline_box* part, void* user) {
  const update* u = user;
  for (int64_t z = part->lo[2]; z < part->hi[2]; ++z)
    for (int64_t y = part->lo[1]; y < part->hi[1]; ++y)
      for (int64_t x = part->lo[0]; x < part->hi[0]; ++x) AT(u->now, x, y, z) = initial(x, y, z);
}

heat_result heat_run(halocline_domain* domain) {
  enum { MOST_SUBDOMAINS = 4, MOST_BOXES = 32 };
  halocline_field u;
  halocline_field_options options = HALOCLINE_FIELD_OPTIONS_INIT;
  options.buffers = 2;
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F64, &options, &u));
  OK(halocline_domain_realize(domain));
  int32_t count = 0;
  OK(halocline_domain_subdomain_count(domain, &count));
  CHECK(count <= MOST_SUBDOMAINS);
  static update updates[STEPS][MOST_SUBDOMAINS];  // as long as the work that refers to them
  static halocline_subdomain all[MOST_SUBDOMAINS];
  for (int32_t s = 0; s < count; ++s) {
    OK(halocline_subdomain_get(domain, s, &all[s]));
    OK(halocline_subdomain_view(domain, s, u, 0, &updates[0][s].now));
    OK(halocline_subdomain_launch(domain, s, &all[s].owned, initialise, &updates[0][s]));
  }
  for (int step = 0; step < STEPS; ++step) {
    for (int32_t s = 0; s < count; ++s) {
      OK(halocline_subdomain_view(domain, s, u, 0, &updates[step][s].now));
      OK(halocline_subdomain_view(domain, s, u, 1, &updates[step][s].next));
    }
    OK(halocline_domain_start_exchange(domain, 0, NULL));
    for (int32_t s = 0; s < count; ++s)
      OK(halocline_subdomain_launch(domain, s, &all[s].interior, update_part, &updates[step][s]));
    OK(halocline_domain_finish_exchange(domain));
    for (int32_t s = 0; s < count; ++s) {
      halocline_box boxes[MOST_BOXES];
      int32_t number = 0;
      OK(halocline_subdomain_boundary(domain, s, MOST_BOXES, boxes, &number));
      CHECK(number <= MOST_BOXES);
      for (int32_t b = 0; b < number; ++b)
        OK(halocline_subdomain_launch(domain, s, &boxes[b], update_part, &updates[step][s]));
    }
    OK(halocline_domain_swap(domain, u));
  }
  OK(halocline_domain_synchronize(domain));

  solve_serially();
  heat_result result = {0, 0};
  for (int32_t s = 0; s < count; ++s) {
    halocline_view view;
    OK(halocline_subdomain_view(domain, s, u, 0, &view));
    for (int64_t z = view.owned.lo[2]; z < view.owned.hi[2]; ++z)
      for (int64_t y = view.owned.lo[1]; y < view.owned.hi[1]; ++y)
        for (int64_t x = view.owned.lo[0]; x < view.owned.hi[0]; ++x) {
          const double got = AT(view, x, y, z);
          ++result.cells;
          if (memcmp(&got, &serial[STEPS % 2][z][y][x], sizeof got) != 0) ++result.wrong;
        }
  }
  OK(halocline_domain_close(domain));
  OK(halocline_domain_destroy(&domain));
  CHECK(domain == NULL);
  return result;
}
