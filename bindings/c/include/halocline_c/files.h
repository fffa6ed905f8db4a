// SPDX-License-Identifier: BSD-3-Clause
// Images for ParaView, and checkpoints. Included by halocline.h.
#ifndef HALOCLINE_C_FILES_H
#define HALOCLINE_C_FILES_H

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

// A time series: for each step one image of the whole domain, written by all ranks, and a .pvd file that lists them. An object is made after
// realize() and destroyed before its domain is closed. All functions but start() and destroy() are collective.
typedef struct halocline_output halocline_output;

typedef struct halocline_output_options {
  size_t size;
  double origin[3];     // the lower corner of cell (0, 0, 0)
  double spacing[3];    // the size of a cell; 0 is 1
  int32_t field_count;  // 0: all fields
  const halocline_field* fields;
  int32_t resume;  // keeps the steps that the series lists, for a run that continues another one
} halocline_output_options;
#define HALOCLINE_OUTPUT_OPTIONS_INIT \
  { .size = sizeof(halocline_output_options) }

// series: "out/heat.pvd" has the images out/heat-000120.vti; the folder exists.
HALOCLINE_API halocline_status halocline_output_create(const halocline_domain* domain, const char* series,
                                                       const halocline_output_options* options,
                                                       halocline_output** output);
// Copies the owned cells of the current buffers after the work in the subdomains' streams, and returns; work that is enqueued later may
// overwrite them. finish() waits for the copies and writes the files. write() is both.
HALOCLINE_API halocline_status halocline_output_start(halocline_output* output, int64_t step, double time);
HALOCLINE_API halocline_status halocline_output_finish(halocline_output* output);
HALOCLINE_API halocline_status halocline_output_write(halocline_output* output, int64_t step, double time);
// Frees it and sets it to NULL; nothing for NULL.
HALOCLINE_API halocline_status halocline_output_destroy(halocline_output** output);

// Checkpoints in a folder of their own, which may be restored with another number of ranks and another partition. Lifetime as above.
typedef struct halocline_checkpoints halocline_checkpoints;

typedef struct halocline_checkpoint_options {
  size_t size;
  int32_t generations;  // checkpoints that are kept; 0 is 2
  int32_t field_count;  // 0: all fields
  const halocline_field* fields;
  int32_t all_buffers;  // also those that are not current
  double most_bytes_per_second;  // of each rank's file, until halocline_checkpoints_finish(); 0: no limit
} halocline_checkpoint_options;
#define HALOCLINE_CHECKPOINT_OPTIONS_INIT \
  { .size = sizeof(halocline_checkpoint_options) }

// What a program keeps with a checkpoint, such as the step. UTF-8; rank 0's count.
typedef struct halocline_metadata {
  const char* key;
  const char* value;
} halocline_metadata;

// HALOCLINE_CAPABILITY_ERROR in builds without xxHash.
HALOCLINE_API halocline_status halocline_checkpoints_create(const halocline_domain* domain, const char* folder,
                                                            const halocline_checkpoint_options* options,
                                                            halocline_checkpoints** checkpoints);
// As for images; a thread writes this rank's file from start() on. start() is collective, too.
HALOCLINE_API halocline_status halocline_checkpoints_start(halocline_checkpoints* checkpoints, int32_t count,
                                                           const halocline_metadata* metadata);
HALOCLINE_API halocline_status halocline_checkpoints_finish(halocline_checkpoints* checkpoints);
HALOCLINE_API halocline_status halocline_checkpoints_write(halocline_checkpoints* checkpoints, int32_t count,
                                                           const halocline_metadata* metadata);
// Sets the owned cells to those of the newest checkpoint that is whole and fits; found is 0 if there is no checkpoint.
// HALOCLINE_INVALID_ARGUMENT, and nothing changed, if each is refused.
HALOCLINE_API halocline_status halocline_checkpoints_restore(halocline_checkpoints* checkpoints, int32_t* found);
// A value of the restored checkpoint, NULL if it has none of that key; and why newer checkpoints were refused, a line for each. Valid until
// the next restore(), or until the object is destroyed. Local.
HALOCLINE_API halocline_status halocline_checkpoints_value(const halocline_checkpoints* checkpoints, const char* key,
                                                           const char** value);
HALOCLINE_API halocline_status halocline_checkpoints_refused(const halocline_checkpoints* checkpoints,
                                                             const char** refused);
HALOCLINE_API halocline_status halocline_checkpoints_destroy(halocline_checkpoints** checkpoints);

#ifdef __cplusplus
}
#endif
#endif
