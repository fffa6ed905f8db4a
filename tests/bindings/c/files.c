// SPDX-License-Identifier: BSD-3-Clause
// Images and checkpoints: written on two devices, restored on three.
#define _XOPEN_SOURCE 700
#include "check.h"

long checks = 0;

static const int64_t extent[3] = {12, 10, 8};

static halocline_domain* domain_of(int32_t devices, halocline_field* u) {
  const halocline_stencil stencil = halocline_stencil_star(1);
  halocline_options options = HALOCLINE_OPTIONS_INIT;
  options.backend = HALOCLINE_BACKEND_HOST;
  options.devices = devices;
  halocline_domain* domain = NULL;
  OK(halocline_domain_create(extent, &stencil, &options, &domain));
  OK(halocline_domain_add_field(domain, "u", HALOCLINE_F64, NULL, u));
  OK(halocline_domain_realize(domain));
  return domain;
}

// Sets the owned cells to their number plus `more`, or counts those that have another value.
static long cells(halocline_domain* domain, halocline_field u, int32_t devices, double more, int set) {
  long wrong = 0;
  OK(halocline_domain_synchronize(domain));
  for (int32_t s = 0; s < devices; ++s) {
    halocline_view view;
    OK(halocline_subdomain_view(domain, s, u, 0, &view));
    for (int64_t z = view.owned.lo[2]; z < view.owned.hi[2]; ++z)
      for (int64_t y = view.owned.lo[1]; y < view.owned.hi[1]; ++y)
        for (int64_t x = view.owned.lo[0]; x < view.owned.hi[0]; ++x) {
          double* cell = (double*)halocline_cell(&view, x, y, z);
          const double wanted = (double)(x + extent[0] * (y + extent[1] * z)) + more;
          if (set) *cell = wanted;
          wrong += *cell != wanted;
        }
  }
  return wrong;
}

static void images(halocline_domain* domain, const char* folder, halocline_field u) {
  char path[512];
  halocline_output_options options = HALOCLINE_OUTPUT_OPTIONS_INIT;
  options.spacing[2] = 0.5;
  options.field_count = 1;
  options.fields = &u;
  halocline_output* output = NULL;
  FAILS(halocline_output_create(domain, "u.vti", &options, &output), HALOCLINE_INVALID_ARGUMENT, "ends in .pvd");
  FAILS(halocline_output_create(domain, NULL, &options, &output), HALOCLINE_INVALID_ARGUMENT, "series is NULL");
  snprintf(path, sizeof path, "%s/u.pvd", folder);
  OK(halocline_output_create(domain, path, &options, &output));
  FAILS(halocline_output_finish(output), HALOCLINE_INVALID_ARGUMENT, "without a start()");
  cells(domain, u, 2, 1, 1);
  OK(halocline_output_start(output, 7, 0.25));
  OK(halocline_domain_synchronize(domain));  // this program writes cells itself, not in a stream
  cells(domain, u, 2, 2, 1);
  OK(halocline_output_finish(output));
  OK(halocline_output_write(output, 8, 0.5));
  OK(halocline_output_destroy(&output));
  CHECK(output == NULL);
  for (int step = 7; step <= 8; ++step) {
    static char content[65536];
    snprintf(path, sizeof path, "%s/u-%06d.vti", folder, step);
    FILE* file = fopen(path, "rb");
    CHECK(file != NULL);
    const size_t size = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    const char* mark = "encoding=\"raw\">\n_";
    const char* begin = strstr(content, mark);
    CHECK(begin != NULL && strstr(content, "Spacing=\"1 1 0.5\"") != NULL);
    begin += strlen(mark) + 8;
    CHECK((size_t)(begin - content) + 960 * sizeof(double) < size);
    for (int i = 0; i < 960; ++i) {
      double value;
      memcpy(&value, begin + (size_t)i * sizeof value, sizeof value);
      CHECK(value == i + (step == 7 ? 1 : 2));
    }
  }
}

static int write_checkpoints(halocline_domain* domain, const char* path, halocline_field u) {
  halocline_checkpoint_options options = HALOCLINE_CHECKPOINT_OPTIONS_INIT;
  options.generations = -1;
  halocline_checkpoints* checkpoints = NULL;
  halocline_status status = halocline_checkpoints_create(domain, path, &options, &checkpoints);
  if (status == HALOCLINE_CAPABILITY_ERROR) return 0;  // a build without xxHash
  CHECK(status == HALOCLINE_INVALID_ARGUMENT && strstr(halocline_last_error(), "generations of checkpoints is -1"));
  options.generations = 1;
  options.most_bytes_per_second = -2;
  CHECK(halocline_checkpoints_create(domain, path, &options, &checkpoints) == HALOCLINE_INVALID_ARGUMENT &&
        strstr(halocline_last_error(), "most bytes per second of checkpoints is -2"));
  options.most_bytes_per_second = 1e9;
  OK(halocline_checkpoints_create(domain, path, &options, &checkpoints));
  int32_t found = 7;
  OK(halocline_checkpoints_restore(checkpoints, &found));
  CHECK(found == 0);
  const halocline_metadata metadata[2] = {{"step", "7"}, {"time", "0.25"}};
  OK(halocline_checkpoints_write(checkpoints, 0, NULL));
  FAILS(halocline_checkpoints_start(checkpoints, 1, NULL), HALOCLINE_INVALID_ARGUMENT, "metadata");
  cells(domain, u, 2, 3, 1);
  OK(halocline_checkpoints_start(checkpoints, 2, metadata));
  OK(halocline_domain_synchronize(domain));
  cells(domain, u, 2, 4, 1);
  OK(halocline_checkpoints_finish(checkpoints));
  OK(halocline_checkpoints_destroy(&checkpoints));
  return 1;
}

int main(void) {
  char folder[] = "/tmp/halocline-c-files-XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  char path[512];
  snprintf(path, sizeof path, "%s/saved", folder);
  halocline_field u;
  halocline_domain* domain = domain_of(2, &u);
  images(domain, folder, u);
  const int can = write_checkpoints(domain, path, u);
  OK(halocline_domain_close(domain));
  OK(halocline_domain_destroy(&domain));
  if (can) {
    domain = domain_of(3, &u);
    cells(domain, u, 3, 0, 1);
    halocline_checkpoints* checkpoints = NULL;
    OK(halocline_checkpoints_create(domain, path, NULL, &checkpoints));
    int32_t found = 0;
    OK(halocline_checkpoints_restore(checkpoints, &found));
    const char *step = NULL, *none = "", *refused = NULL;
    OK(halocline_checkpoints_value(checkpoints, "step", &step));
    OK(halocline_checkpoints_value(checkpoints, "no", &none));
    OK(halocline_checkpoints_refused(checkpoints, &refused));
    CHECK(found == 1 && step != NULL && strcmp(step, "7") == 0 && none == NULL && strcmp(refused, "") == 0);
    CHECK(cells(domain, u, 3, 3, 0) == 0);
    OK(halocline_checkpoints_destroy(&checkpoints));
    OK(halocline_domain_close(domain));
    OK(halocline_domain_destroy(&domain));
  }
  char command[600];
  snprintf(command, sizeof command, "rm -r %s", folder);
  CHECK(system(command) == 0);
  printf("cases passed: %ld\n", checks);
  return 0;
}
