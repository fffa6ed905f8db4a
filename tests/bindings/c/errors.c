// SPDX-License-Identifier: BSD-3-Clause
// Bad input and calls in the wrong order: a status, a text that names what is allowed, and nothing else changes.
#include "check.h"

long checks = 0;

static const int64_t extent[3] = {16, 12, 10};

static halocline_domain* created(const halocline_options* options) {
  const halocline_stencil stencil = halocline_stencil_box(1);
  halocline_domain* domain = NULL;
  OK(halocline_domain_create(extent, &stencil, options, &domain));
  return domain;
}

static void names(void) {
  CHECK(strcmp(halocline_last_error(), "") == 0);
  CHECK(strcmp(halocline_status_name(HALOCLINE_SUCCESS), "success") == 0);
  CHECK(strcmp(halocline_status_name(HALOCLINE_INVALID_ARGUMENT), "invalid argument") == 0);
  CHECK(strcmp(halocline_status_name(99), "unknown status") == 0);
  CHECK(strchr(halocline_version(), '.') != NULL);
  CHECK(halocline_direction_bit(-1, -1, -1) == 1 && halocline_direction_bit(1, 1, 1) == (uint32_t)1 << 25);
  CHECK(halocline_direction_bit(0, 0, 0) == 0 && halocline_direction_bit(2, 0, 0) == 0);
}

static void null_pointers(void) {
  const halocline_stencil stencil = halocline_stencil_box(1);
  halocline_domain* domain = NULL;
  FAILS(halocline_domain_create(NULL, &stencil, NULL, &domain), HALOCLINE_INVALID_ARGUMENT, "extent is NULL");
  FAILS(halocline_domain_create(extent, NULL, NULL, &domain), HALOCLINE_INVALID_ARGUMENT, "stencil is NULL");
  FAILS(halocline_domain_create(extent, &stencil, NULL, NULL), HALOCLINE_INVALID_ARGUMENT, "domain is NULL");
  FAILS(halocline_domain_create_from_boxes(1, NULL, &stencil, NULL, &domain), HALOCLINE_INVALID_ARGUMENT,
        "boxes is NULL");
  FAILS(halocline_domain_create_from_boxes(-1, NULL, &stencil, NULL, &domain), HALOCLINE_INVALID_ARGUMENT,
        "number of boxes is -1");
  CHECK(domain == NULL);
  FAILS(halocline_domain_realize(NULL), HALOCLINE_INVALID_ARGUMENT, "domain is NULL");
  FAILS(halocline_graph_launch(NULL), HALOCLINE_INVALID_ARGUMENT,
        "graph is NULL; allowed is one that was created, before it is closed or destroyed");
  FAILS(halocline_host_array_upload(NULL, 0), HALOCLINE_INVALID_ARGUMENT, "array is NULL");
  OK(halocline_domain_destroy(&domain));  // of nothing
  domain = created(NULL);
  FAILS(halocline_domain_add_field(domain, NULL, HALOCLINE_F32, NULL, &(halocline_field){0}),
        HALOCLINE_INVALID_ARGUMENT, "name is NULL");
  FAILS(halocline_domain_add_field(domain, "u", HALOCLINE_F32, NULL, NULL), HALOCLINE_INVALID_ARGUMENT,
        "field is NULL");
  OK(halocline_domain_destroy(&domain));
}

#define REFUSED(member, value, part)                                                                       \
  do {                                                                                                     \
    halocline_options refused = HALOCLINE_OPTIONS_INIT;                                                    \
    refused.member = value;                                                                                \
    FAILS(halocline_domain_create(extent, &stencil, &refused, &domain), HALOCLINE_INVALID_ARGUMENT, part); \
  } while (0)

static void options(void) {
  const halocline_stencil stencil = halocline_stencil_box(1);
  halocline_domain* domain = NULL;
  REFUSED(size, 0, "size of halocline_options is 0");
  REFUSED(boundaries[1], 3, "boundary is 3; allowed is 0 to 2");
  REFUSED(in_place, 2, "in_place is 2; allowed is 0 or 1");
  REFUSED(backend, 9, "backend is 9");
  REFUSED(devices, -1, "devices is -1");
  REFUSED(partition, 7, "partition is 7");
  REFUSED(placement, -1, "placement is -1");
  REFUSED(transports, "pigeon", "pigeon");
  REFUSED(machine, "{", "");
  REFUSED(timeout, -1.0, "timeout is -1");
  REFUSED(cuts[0], extent, "cuts");
  REFUSED(weight_count, 2, "weights is NULL");
  REFUSED(owner_count, -2, "number of owners is -2");

  // A newer program: its members are unknown here, and allowed while they are 0.
  struct newer {
    halocline_options known;
    int64_t more;
  } newer;
  memset(&newer, 0, sizeof newer);
  newer.known.size = sizeof newer;
  OK(halocline_domain_create(extent, &stencil, &newer.known, &domain));
  OK(halocline_domain_destroy(&domain));
  newer.more = 1;
  FAILS(halocline_domain_create(extent, &stencil, &newer.known, &domain), HALOCLINE_INVALID_ARGUMENT,
        "newer than this library");

  halocline_stencil negative = halocline_stencil_box(-1);
  FAILS(halocline_domain_create(extent, &negative, NULL, &domain), HALOCLINE_INVALID_ARGUMENT, "-1");
  negative = halocline_stencil_box(1);
  negative.without = (uint32_t)1 << 26;
  FAILS(halocline_domain_create(extent, &negative, NULL, &domain), HALOCLINE_INVALID_ARGUMENT, "set of directions");
  CHECK(domain == NULL);
}

// Under MPI it takes MPI_Init; see heat_mpi.c for more.
static void communicators(void) {
  const halocline_stencil stencil = halocline_stencil_box(1);
  const halocline_box box = {{0, 0, 0}, {4, 4, 4}};
  halocline_domain* domain = NULL;
  const halocline_status expected = HAVE_MPI ? HALOCLINE_INVALID_ARGUMENT : HALOCLINE_CAPABILITY_ERROR;
  const char* text = HAVE_MPI ? "MPI is not initialised" : "this build of halocline has no MPI";
  FAILS(halocline_domain_create_mpi(extent, &stencil, 0, NULL, &domain), expected, text);
  FAILS(halocline_domain_create_from_boxes_mpi(1, &box, &stencil, 0, NULL, &domain), expected, text);
  CHECK(domain == NULL);
}

static void order(void) {
  halocline_options host = HALOCLINE_OPTIONS_INIT;
  host.backend = HALOCLINE_BACKEND_HOST;
  host.devices = 2;
  halocline_domain* domain = created(&host);
  halocline_field u = -1, again = -1;
  int32_t count = -1;
  const char* text = NULL;
  halocline_view view;
  FAILS(halocline_domain_exchange(domain, 0, NULL), HALOCLINE_INVALID_ARGUMENT, "realize");
  FAILS(halocline_domain_subdomain_count(domain, &count), HALOCLINE_INVALID_ARGUMENT, "plan");
  FAILS(halocline_domain_size(domain, &count), HALOCLINE_INVALID_ARGUMENT, "before plan()");
  FAILS(halocline_domain_machine(domain, &text), HALOCLINE_INVALID_ARGUMENT, "before plan()");
  FAILS(halocline_domain_begin_capture(domain), HALOCLINE_INVALID_ARGUMENT, "capture() before realize()");
  FAILS(halocline_domain_explain(domain, &text), HALOCLINE_INVALID_ARGUMENT, "realize");
  CHECK(count == -1 && text == NULL);
  FAILS(halocline_domain_add_field(domain, "u", 0, NULL, &u), HALOCLINE_INVALID_ARGUMENT, "element is 0");
  halocline_field_options many = HALOCLINE_FIELD_OPTIONS_INIT;
  many.components = -3;
  FAILS(halocline_domain_add_field(domain, "u", HALOCLINE_F32, &many, &u), HALOCLINE_INVALID_ARGUMENT, "-3 components");
  halocline_field_options wider = HALOCLINE_FIELD_OPTIONS_INIT;
  wider.wire = HALOCLINE_F64;
  FAILS(halocline_domain_add_field(domain, "u", HALOCLINE_F32, &wider, &u), HALOCLINE_INVALID_ARGUMENT,
        "wire of field 'u' is f64; allowed for elements f32 are bf16, f16");
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F32, NULL, &u));
  FAILS(halocline_domain_add_field(domain, "u", HALOCLINE_F32, NULL, &again), HALOCLINE_INVALID_ARGUMENT, "'u'");
  OK(halocline_domain_plan(domain));
  FAILS(halocline_subdomain_view(domain, 0, u, 0, &view), HALOCLINE_INVALID_ARGUMENT, "realize");
  const halocline_array none = {0};
  FAILS(halocline_domain_use_array(domain, u, 0, 0, &none), HALOCLINE_INVALID_ARGUMENT, "");
  OK(halocline_domain_realize(domain));
  FAILS(halocline_domain_realize(domain), HALOCLINE_INVALID_ARGUMENT, "realize");
  FAILS(halocline_domain_finish_exchange(domain), HALOCLINE_INVALID_ARGUMENT, "no exchange is under way");
  halocline_graph* graph = NULL;
  FAILS(halocline_domain_end_capture(domain, &graph), HALOCLINE_INVALID_ARGUMENT, "no capture is under way");
  FAILS(halocline_subdomain_view(domain, 2, u, 0, &view), HALOCLINE_INVALID_ARGUMENT,
        "subdomain is 2; allowed is 0 to 1");
  FAILS(halocline_subdomain_view(domain, -1, u, 0, &view), HALOCLINE_INVALID_ARGUMENT, "subdomain is -1");
  FAILS(halocline_subdomain_view(domain, 0, 7, 0, &view), HALOCLINE_INVALID_ARGUMENT, "7");
  FAILS(halocline_subdomain_view(domain, 0, u, 1, &view), HALOCLINE_INVALID_ARGUMENT, "1 swaps ahead");
  FAILS(halocline_domain_swap(domain, u), HALOCLINE_INVALID_ARGUMENT, "1 buffer");
  halocline_transfer deep = {u, 0, -4};
  FAILS(halocline_domain_exchange(domain, 1, &deep), HALOCLINE_INVALID_ARGUMENT, "depth of field 'u' is -4");
  FAILS(halocline_domain_exchange(domain, 1, NULL), HALOCLINE_INVALID_ARGUMENT, "transfers is NULL");
  const double one = 1;
  FAILS(halocline_domain_rebalance(domain, 7, &one), HALOCLINE_INVALID_ARGUMENT, "number of speeds is 7");
  FAILS(halocline_domain_rebalance(domain, 1, NULL), HALOCLINE_INVALID_ARGUMENT, "speeds is NULL");
  FAILS(halocline_domain_accumulate(domain, 5, 0, NULL), HALOCLINE_INVALID_ARGUMENT, "combine is 5");
  void* streams[2] = {NULL, NULL};
  FAILS(halocline_domain_use_streams(domain, 1, streams), HALOCLINE_INVALID_ARGUMENT, "number of streams is 1");
  FAILS(halocline_domain_use_streams(domain, 2, streams), HALOCLINE_CAPABILITY_ERROR, "");
  FAILS(halocline_domain_wait_for_stream(domain, streams), HALOCLINE_CAPABILITY_ERROR, "");
  FAILS(halocline_domain_let_stream_wait(domain, streams), HALOCLINE_CAPABILITY_ERROR, "");

  // After all of these the domain works as before.
  OK(halocline_domain_start_exchange(domain, 0, NULL));
  FAILS(halocline_domain_start_exchange(domain, 0, NULL), HALOCLINE_INVALID_ARGUMENT, "called twice");
  OK(halocline_domain_finish_exchange(domain));
  OK(halocline_domain_close(domain));
  FAILS(halocline_domain_exchange(domain, 0, NULL), HALOCLINE_INVALID_ARGUMENT, "after close()");
  OK(halocline_domain_destroy(&domain));
}

static halocline_status refuse(int32_t subdomain, int32_t count, const halocline_box* boxes, void* user) {
  (void)subdomain, (void)count, (void)boxes, (void)user;
  halocline_view view;
  return halocline_subdomain_view(NULL, 0, 0, 0, &view);
}

// A callback that fails leaves the domain failed, with the callback's text.
static void callbacks(void) {
  halocline_options host = HALOCLINE_OPTIONS_INIT;
  host.backend = HALOCLINE_BACKEND_HOST;
  halocline_domain* domain = created(&host);
  halocline_field u;
  halocline_field_options two = HALOCLINE_FIELD_OPTIONS_INIT;
  two.buffers = 2;
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F32, &two, &u));
  OK(halocline_domain_realize(domain));
  OK(halocline_domain_start_exchange(domain, 0, NULL));
  FAILS(halocline_domain_finish_exchange_with(domain, NULL, NULL), HALOCLINE_INVALID_ARGUMENT, "update is NULL");
  FAILS(halocline_domain_finish_exchange_with(domain, refuse, NULL), HALOCLINE_INVALID_ARGUMENT,
        "the update of a boundary returned 'invalid argument': domain is NULL");
  FAILS(halocline_domain_exchange(domain, 0, NULL), HALOCLINE_INVALID_ARGUMENT, "domain is NULL");
  OK(halocline_domain_close(domain));
  OK(halocline_domain_destroy(&domain));
}

int main(void) {
  names();
  null_pointers();
  options();
  communicators();
  order();
  callbacks();
  printf("cases passed: %ld\n", checks);
  return 0;
}
