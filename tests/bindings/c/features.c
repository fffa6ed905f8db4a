// SPDX-License-Identifier: BSD-3-Clause
// What the binding offers beyond the heat equation: cells hold their place in the domain, so that each halo cell is known.
#include "cells.h"
#include "check.h"

long checks = 0;
const int64_t feature_extent[3] = {EXTENT_X, EXTENT_Y, EXTENT_Z};

halocline_options host_options(void) {
  halocline_options options = HALOCLINE_OPTIONS_INIT;
  options.backend = HALOCLINE_BACKEND_HOST;
  options.devices = 2;
  return options;
}

static int64_t wrapped(int64_t i, int64_t extent) { return (i % extent + extent) % extent; }
double value_of(int64_t x, int64_t y, int64_t z, int component) {
  return (double)(wrapped(x, EXTENT_X) + 100 * wrapped(y, EXTENT_Y) + 10000 * wrapped(z, EXTENT_Z) +
                  1000000 * component);
}

static double* at(const halocline_view* view, int64_t x, int64_t y, int64_t z) { return halocline_cell(view, x, y, z); }

typedef void (*cell_visit)(double* cell, const int64_t place[3], int owned);

static void each_cell(const halocline_view* v, const halocline_box* box, cell_visit visit) {
  for (int64_t z = box->lo[2]; z < box->hi[2]; ++z)
    for (int64_t y = box->lo[1]; y < box->hi[1]; ++y)
      for (int64_t x = box->lo[0]; x < box->hi[0]; ++x) {
        const int64_t place[3] = {x, y, z};
        int owned = 1;
        for (int dim = 0; dim < 3; ++dim) owned &= place[dim] >= v->owned.lo[dim] && place[dim] < v->owned.hi[dim];
        visit(at(v, x, y, z), place, owned);
      }
}

// Of all subdomains, with their halos.
static void each_cell_of(const halocline_domain* domain, halocline_field field, cell_visit visit) {
  int32_t count = 0;
  OK(halocline_domain_subdomain_count(domain, &count));
  for (int32_t s = 0; s < count; ++s) {
    halocline_view v;
    OK(halocline_subdomain_view(domain, s, field, 0, &v));
    each_cell(&v, &v.with_halo, visit);
  }
}

static void set_value(double* cell, const int64_t place[3], int owned) {
  *cell = owned ? value_of(place[0], place[1], place[2], 0) : -1;
}
static void expect_value(double* cell, const int64_t place[3], int owned) {
  (void)owned;
  CHECK(*cell == value_of(place[0], place[1], place[2], 0));
}
static void set_one(double* cell, const int64_t place[3], int owned) {
  (void)place, (void)owned;
  *cell = 1;
}

void set_cells(const halocline_domain* domain, halocline_field field) { each_cell_of(domain, field, set_value); }

static halocline_domain* realized(const halocline_stencil* stencil, const halocline_options* options,
                                  halocline_field* u) {
  halocline_domain* domain = NULL;
  OK(halocline_domain_create(feature_extent, stencil, options, &domain));
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F64, NULL, u));
  OK(halocline_domain_realize(domain));
  return domain;
}

static void end(halocline_domain* domain) {
  OK(halocline_domain_close(domain));
  OK(halocline_domain_destroy(&domain));
}

// One direction, one layer: what is sent towards +x fills the neighbours' halo below, next to the owned cells.
static void transfers(void) {
  const halocline_stencil stencil = halocline_stencil_box(2);
  const halocline_options options = host_options();
  halocline_field u;
  halocline_domain* domain = realized(&stencil, &options, &u);
  set_cells(domain, u);
  const halocline_transfer transfer = {u, halocline_direction_bit(1, 0, 0), 1};
  OK(halocline_domain_exchange(domain, 1, &transfer));
  OK(halocline_domain_synchronize(domain));
  halocline_view v;
  OK(halocline_subdomain_view(domain, 0, u, 0, &v));
  CHECK(v.with_halo.lo[0] == v.owned.lo[0] - 2 && v.with_halo.hi[0] == v.owned.hi[0] + 2);
  CHECK(v.element == HALOCLINE_F64 && v.components == 1 && v.stride[0] == sizeof(double));
  const int64_t x = v.owned.lo[0], y = v.owned.lo[1], z = v.owned.lo[2];
  CHECK(*at(&v, x - 1, y, z) == value_of(x - 1, y, z, 0));
  CHECK(*at(&v, x - 2, y, z) == -1 && *at(&v, v.owned.hi[0], y, z) == -1 && *at(&v, x, y - 1, z) == -1);
  // All of it, corners included.
  OK(halocline_domain_exchange(domain, 0, NULL));
  OK(halocline_domain_synchronize(domain));
  each_cell(&v, &v.with_halo, expect_value);
  int32_t ready = 0;
  OK(halocline_domain_is_ready(domain, &ready));
  CHECK(ready == 1);
  end(domain);
}

// Each owned cell is 1, and so are its copies: with one halo cell on each side the sum at a cell of a cut plane is 2.
static void accumulate(void) {
  const halocline_stencil stencil = halocline_stencil_star(1);
  const halocline_options options = host_options();
  halocline_field u;
  halocline_domain* domain = realized(&stencil, &options, &u);
  halocline_view v;
  each_cell_of(domain, u, set_one);
  OK(halocline_domain_accumulate(domain, HALOCLINE_ADD, 0, NULL));
  OK(halocline_domain_synchronize(domain));
  OK(halocline_subdomain_view(domain, 0, u, 0, &v));
  const int64_t x = v.owned.lo[0], y = v.owned.lo[1], z = v.owned.lo[2];
  CHECK(*at(&v, x + 1, y + 1, z + 1) == 1);
  CHECK(*at(&v, x, y + 1, z + 1) == 2 && *at(&v, x, y, z + 1) == 3 && *at(&v, x, y, z) == 4);
  *at(&v, x, y, z) = 9;
  OK(halocline_domain_accumulate(domain, HALOCLINE_REPLACE, 0, NULL));
  OK(halocline_domain_synchronize(domain));
  CHECK(*at(&v, x, y, z) == 1);
  end(domain);
}

static double expected_sum, expected_max;
static void add_up(double* cell, const int64_t place[3], int owned) {
  (void)place;
  if (!owned) return;
  expected_sum += *cell;
  if (*cell > expected_max) expected_max = *cell;
}

// Halo cells are -1, and do not count.
static void reduce(void) {
  const halocline_stencil stencil = halocline_stencil_star(1);
  const halocline_options options = host_options();
  halocline_domain* domain = NULL;
  halocline_field u;
  halocline_reduction both[2], none;
  double value = 0;
  OK(halocline_domain_create(feature_extent, &stencil, &options, &domain));
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F64, NULL, &u));
  OK(halocline_domain_add_reduction(domain, u, HALOCLINE_SUM, &both[0]));
  OK(halocline_domain_add_reduction(domain, u, HALOCLINE_MAX, &both[1]));
  FAILS(halocline_domain_add_reduction(domain, u, 5, &none), HALOCLINE_INVALID_ARGUMENT, "what is 5");
  FAILS(halocline_domain_add_reduction(domain, 7, HALOCLINE_SUM, &none), HALOCLINE_INVALID_ARGUMENT, "field is 7");
  FAILS(halocline_domain_reduce(domain, 2, both), HALOCLINE_INVALID_ARGUMENT, "realize()");
  OK(halocline_domain_realize(domain));
  set_cells(domain, u);
  each_cell_of(domain, u, add_up);
  FAILS(halocline_domain_value(domain, both[0], &value), HALOCLINE_INVALID_ARGUMENT, "after reduce()");
  FAILS(halocline_domain_reduce(domain, -1, both), HALOCLINE_INVALID_ARGUMENT, "-1");
  OK(halocline_domain_reduce(domain, 2, both));
  OK(halocline_domain_value(domain, both[0], &value));
  CHECK(value == expected_sum);
  OK(halocline_domain_value(domain, both[1], &value));
  CHECK(value == expected_max);
  for (int32_t s = 0; s < 2; ++s) {
    const double* result = NULL;
    OK(halocline_subdomain_result(domain, s, both[1], &result));
    CHECK(*result == expected_max);
  }
  FAILS(halocline_domain_value(domain, 2, &value), HALOCLINE_INVALID_ARGUMENT, "reduction is 2; allowed are 0 to 1");
  end(domain);
}

static halocline_status kernel(int32_t subdomain, void* user) {
  ++((int32_t*)user)[subdomain];
  return HALOCLINE_SUCCESS;
}

static halocline_status failing(int32_t subdomain, void* user) {
  (void)subdomain, (void)user;
  return HALOCLINE_INVALID_ARGUMENT;
}

// Two devices of speeds 1 and 3: cells keep their values.
static void rebalance(void) {
  const halocline_stencil stencil = halocline_stencil_star(1);
  const halocline_options options = host_options();
  halocline_field u;
  halocline_domain* domain = realized(&stencil, &options, &u);
  halocline_view v;
  set_cells(domain, u);
  double speeds[2] = {1, 3};
  int32_t calls[2] = {0, 0};
  (void)halocline_domain_measure(domain, kernel, calls, speeds);  // an empty kernel may take no time
  CHECK(calls[0] >= 2);
  CHECK(halocline_domain_measure(domain, failing, NULL, speeds) != HALOCLINE_SUCCESS);
  const double one_three[2] = {1, 3};
  OK(halocline_domain_rebalance(domain, 2, one_three));
  int64_t cells[2];
  for (int32_t s = 0; s < 2; ++s) {
    OK(halocline_subdomain_view(domain, s, u, 0, &v));
    cells[s] = (v.owned.hi[0] - v.owned.lo[0]) * (v.owned.hi[1] - v.owned.lo[1]) * (v.owned.hi[2] - v.owned.lo[2]);
    each_cell(&v, &v.owned, expect_value);
  }
  CHECK(cells[1] > 2 * cells[0]);
  OK(halocline_domain_rebalance(domain, 0, NULL));
  end(domain);
}

static void options_that_decide(void) {
  const halocline_stencil stencil = halocline_stencil_star(1);
  halocline_options options = host_options();
  const int64_t x[] = {0, 5, EXTENT_X}, y[] = {0, EXTENT_Y}, z[] = {0, EXTENT_Z};
  const halocline_owner owners[] = {{0, 1}, {0, 0}};
  options.cuts[0] = x, options.cuts[1] = y, options.cuts[2] = z;
  options.cut_counts[0] = 3, options.cut_counts[1] = options.cut_counts[2] = 2;
  options.owners = owners;
  options.owner_count = 2;
  options.boundaries[1] = HALOCLINE_PERIODIC_IN_KERNEL;
  options.steps_per_exchange = 2;
  options.transports = "direct,self";
  halocline_field u;
  halocline_domain* domain = realized(&stencil, &options, &u);
  for (int32_t s = 0; s < 2; ++s) {
    halocline_subdomain own;
    halocline_box first, second;
    OK(halocline_subdomain_get(domain, s, &own));
    // Subdomain 0 has device 1.
    CHECK(own.device == 1 - (int32_t)own.id && own.wraps[1] == 1 && own.wraps[0] == 0);
    CHECK(own.owned.lo[0] == (own.id == 0 ? 0 : 5) && own.owned.hi[0] == (own.id == 0 ? 5 : EXTENT_X));
    OK(halocline_subdomain_update_box(domain, s, 0, &first));
    OK(halocline_subdomain_update_box(domain, s, 1, &second));
    CHECK(first.lo[0] == own.owned.lo[0] - 1 && second.lo[0] == own.owned.lo[0]);
    FAILS(halocline_subdomain_update_box(domain, s, 2, &first), HALOCLINE_INVALID_ARGUMENT, "2");
  }
  const char* text = NULL;
  OK(halocline_domain_explain(domain, &text));
  CHECK(strstr(text, "direct") != NULL);
  int32_t on_host = 0;
  OK(halocline_domain_on_host(domain, &on_host));
  CHECK(on_host == 1);
  // The machine as a document, given to another domain.
  OK(halocline_domain_machine(domain, &text));
  halocline_options again = host_options();
  again.machine = text;
  end(realized(&stencil, &again, &u));
  end(domain);
}

// Two subdomains, each also its own neighbour, which is one message by self.
static void messages(void) {
  const halocline_stencil stencil = halocline_stencil_box(1);
  const char* const expected[] = {
      "routes     4 messages\n",           "routes     4 messages\n",
      "routes     38 messages of 4 pairs", "routes     3 messages of 4 pairs",
      "routes     3 messages of 4 pairs",  "messages   by_neighbour: the machine map has no times"};
  for (int32_t how = HALOCLINE_MESSAGES_DEFAULT; how <= HALOCLINE_MESSAGES_AUTO; ++how) {
    halocline_options options = host_options();
    options.transports = "mpi_staged";
    options.messages = how;
    halocline_field u;
    const char* text = NULL;
    halocline_domain* domain = realized(&stencil, &options, &u);
    OK(halocline_domain_explain(domain, &text));
    CHECK(strstr(text, expected[how]) != NULL);
    set_cells(domain, u);
    OK(halocline_domain_exchange(domain, 0, NULL));
    OK(halocline_domain_synchronize(domain));
    each_cell_of(domain, u, expect_value);
    end(domain);
  }
}

// Boxes through the host's memory.
static void host_arrays(void) {
  const halocline_stencil stencil = halocline_stencil_box(1);
  const halocline_options options = host_options();
  halocline_field u;
  halocline_domain* domain = realized(&stencil, &options, &u);
  set_cells(domain, u);
  halocline_subdomain own[2];
  for (int32_t s = 0; s < 2; ++s) OK(halocline_subdomain_get(domain, s, &own[s]));
  halocline_box plane = own[0].owned;
  plane.hi[2] = plane.lo[2] + 1;
  halocline_host_array* array = NULL;
  halocline_view v;
  OK(halocline_host_array_create(domain, 0, u, &plane, &array));
  OK(halocline_host_array_download(array, 0));
  OK(halocline_host_array_view(array, &v));
  CHECK(memcmp(&v.owned, &plane, sizeof plane) == 0 && v.element == HALOCLINE_F64);
  CHECK(*at(&v, 1, 2, 0) == value_of(1, 2, 0, 0));
  plane = own[1].owned;
  plane.lo[2] = plane.hi[2] - 1;
  OK(halocline_host_array_move_to(array, 1, &plane));
  OK(halocline_host_array_view(array, &v));
  for (int64_t y = plane.lo[1]; y < plane.hi[1]; ++y)
    for (int64_t x = plane.lo[0]; x < plane.hi[0]; ++x) *at(&v, x, y, plane.lo[2]) = 5;
  OK(halocline_host_array_upload(array, 0));
  OK(halocline_host_array_destroy(&array));
  OK(halocline_subdomain_view(domain, 1, u, 0, &v));
  CHECK(*at(&v, plane.lo[0], plane.lo[1], plane.lo[2]) == 5);
  plane.hi[0] += 5;
  FAILS(halocline_host_array_create(domain, 1, u, &plane, &array), HALOCLINE_INVALID_ARGUMENT, "box");
  end(domain);
}

static void count_message(int32_t level, const char* message, void* user) {
  if (level <= HALOCLINE_LOG_WARNING && strlen(message) > 0) ++*(int*)user;
}

// A realized domain that is not closed leaks, and the log says so.
static void log_messages(void) {
  const halocline_stencil stencil = halocline_stencil_box(1);
  const halocline_options options = host_options();
  halocline_field u;
  int messages = 0;
  OK(halocline_set_log_callback(count_message, &messages));
  halocline_domain* domain = realized(&stencil, &options, &u);
  OK(halocline_domain_destroy(&domain));
  OK(halocline_set_log_callback(NULL, NULL));
  CHECK(messages > 0);
}

// Options by trial: kept, found by the next domain, and tried again.
static void tune(void) {
  const halocline_stencil stencil = halocline_stencil_box(1);
  const halocline_options options = host_options();
  const char* const file = "features-tune.json";
  remove(file);
  for (int turn = 0; turn < 3; ++turn) {
    halocline_domain* domain = NULL;
    halocline_field u;
    const char* text = NULL;
    OK(halocline_domain_create(feature_extent, &stencil, &options, &domain));
    OK(halocline_domain_add_field(domain, "u", HALOCLINE_F64, NULL, &u));
    FAILS(halocline_domain_tune(domain, file, -1, 0), HALOCLINE_INVALID_ARGUMENT, "budget_seconds is -1");
    OK(halocline_domain_tune(domain, file, 0.1, turn == 2));
    OK(halocline_domain_realize(domain));
    OK(halocline_domain_explain(domain, &text));
    CHECK(strstr(text, turn == 1 ? "; from 'features-tune.json'" : "; by trials of") != NULL);
    end(domain);
  }
  remove(file);
  remove("features-tune.json.lock");
}

int main(int argc, char** argv) {
  transfers();
  accumulate();
  reduce();
  rebalance();
  tune();
  finish_with();
  options_that_decide();
  messages();
  host_arrays();
  own_arrays();
  open_boundaries();
  // What it leaks is on purpose, so that sanitizers run the others.
  if (argc == 1 || strcmp(argv[1], "--no-leaks") != 0) log_messages();
  printf("cases passed: %ld\n", checks);
  return 0;
}
