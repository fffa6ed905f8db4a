// SPDX-License-Identifier: BSD-3-Clause
// Handles are destroyed in any order, and what they hold is freed: many domains take no more memory than a few.
#include <malloc.h>

#include "check.h"

long checks = 0;

static void add_one(const halocline_box* part, void* user) {
  const halocline_view* view = user;
  for (int64_t x = part->lo[0]; x < part->hi[0]; ++x)
    for (int64_t y = part->lo[1]; y < part->hi[1]; ++y)
      for (int64_t z = part->lo[2]; z < part->hi[2]; ++z) *(float*)halocline_cell(view, x, y, z) += 1;
}

// A domain with all kinds of handles, destroyed before the domain or after it.
static void one_domain(int domain_first) {
  const int64_t extent[3] = {8, 8, 8};
  const halocline_stencil stencil = halocline_stencil_box(1);
  halocline_options options = HALOCLINE_OPTIONS_INIT;
  options.backend = HALOCLINE_BACKEND_HOST;
  options.devices = 2;
  halocline_domain* domain = NULL;
  halocline_field u;
  OK(halocline_domain_create(extent, &stencil, &options, &domain));
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F32, NULL, &u));
  OK(halocline_domain_realize(domain));
  const char* text = NULL;
  OK(halocline_domain_explain(domain, &text));
  CHECK(strstr(text, "8 x 8 x 8") != NULL);
  OK(halocline_domain_machine(domain, &text));
  CHECK(text[0] == '{');
  halocline_view view;
  OK(halocline_subdomain_view(domain, 0, u, 0, &view));
  OK(halocline_subdomain_launch(domain, 0, &view.owned, add_one, &view));

  halocline_graph* graph = NULL;
  OK(halocline_domain_begin_capture(domain));
  OK(halocline_subdomain_launch(domain, 0, &view.owned, add_one, &view));
  OK(halocline_domain_exchange(domain, 0, NULL));
  FAILS(halocline_domain_begin_capture(domain), HALOCLINE_INVALID_ARGUMENT, "another is under way");
  OK(halocline_domain_end_capture(domain, &graph));
  halocline_host_array *before = NULL, *after = NULL;
  OK(halocline_host_array_create(domain, 0, u, NULL, &before));
  OK(halocline_host_array_create(domain, 0, u, NULL, &after));
  OK(halocline_host_array_download(before, 0));
  for (int i = 0; i < 3; ++i) OK(halocline_graph_launch(graph));
  OK(halocline_host_array_download(after, 0));
  halocline_view first, last;
  OK(halocline_host_array_view(before, &first));
  OK(halocline_host_array_view(after, &last));
  CHECK(*(float*)last.data == *(float*)first.data + 3);

  // With work of the graph under way, and a capture that has not ended.
  for (int i = 0; i < 3; ++i) OK(halocline_graph_launch(graph));
  OK(halocline_domain_begin_capture(domain));
  OK(halocline_domain_close(domain));
  FAILS(halocline_graph_launch(graph), HALOCLINE_INVALID_ARGUMENT, "closed");
  FAILS(halocline_host_array_download(after, 0), HALOCLINE_INVALID_ARGUMENT, "after close()");
  CHECK(*(float*)last.data == *(float*)first.data + 3);  // the copy stays
  if (domain_first) OK(halocline_domain_destroy(&domain));
  OK(halocline_graph_destroy(&graph));
  OK(halocline_graph_destroy(&graph));  // NULL by now
  OK(halocline_host_array_destroy(&before));
  OK(halocline_host_array_destroy(&after));
  OK(halocline_domain_destroy(&domain));
  CHECK(domain == NULL && graph == NULL && before == NULL && after == NULL);
}

static void refuse_message(int32_t level, const char* message, void* user) {
  (void)level, (void)user;
  fprintf(stderr, "FAILED: %s\n", message);
  exit(1);
}

int main(void) {
  enum { ROUNDS = 200 };
  // What the caches of malloc hold counts as in use: thousands of bytes, which depend on the order in which threads ran.
  const char* tunables = getenv("GLIBC_TUNABLES");
  CHECK(tunables != NULL && strstr(tunables, "glibc.malloc.tcache_count=0") != NULL);
  OK(halocline_set_log_callback(refuse_message, NULL));  // such as that a graph was destroyed before its work was done
  for (int i = 0; i < ROUNDS; ++i) one_domain(i % 2);
  const size_t used = mallinfo2().uordblks;
  for (int i = 0; i < ROUNDS; ++i) one_domain(i % 2);
  const size_t more = mallinfo2().uordblks;
  printf("in use after %d domains: %zu bytes, after %d: %zu bytes\n", ROUNDS, used, 2 * ROUNDS, more);
  // The smallest handle that is not freed takes 32 bytes a round; a block of malloc may be some bytes longer than what was asked for.
  CHECK(more < used + 2 * ROUNDS);
  printf("cases passed: %ld\n", checks);
  return 0;
}
