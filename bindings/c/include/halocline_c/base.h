// SPDX-License-Identifier: BSD-3-Clause
// Status codes, boxes, log output. Included by halocline.h.
#ifndef HALOCLINE_C_BASE_H
#define HALOCLINE_C_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HALOCLINE_API __attribute__((visibility("default")))
#else
#define HALOCLINE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Why a function failed. Ranks exchange the status of collective functions, so that all of them return the same.
typedef int32_t halocline_status;
enum {
  HALOCLINE_SUCCESS = 0,
  HALOCLINE_INVALID_ARGUMENT = 1,     // the caller's input, or a call in the wrong order, which changes nothing
  HALOCLINE_CAPABILITY_ERROR = 2,     // requested by name, but absent in this build or on this machine
  HALOCLINE_RESOURCE_ERROR = 3,       // memory, file descriptors or the like ran out
  HALOCLINE_COMMUNICATION_ERROR = 4,  // MPI or another rank failed
  HALOCLINE_DEVICE_ERROR = 5,         // a device operation failed
  HALOCLINE_DEADLINE_ERROR = 6,       // a wait lasted longer than the timeout
  HALOCLINE_PROTOCOL_ERROR = 7,       // two sides disagree, e.g. one swapped its buffers and the other did not
  HALOCLINE_INTERNAL_ERROR = 8        // a bug in Halocline
};

// The text of the calling thread's last error; "" before the first. Names the argument, its value and what is allowed. Valid until
// the thread's next error.
HALOCLINE_API const char* halocline_last_error(void);
// "invalid argument", "deadline", ...; "success" for 0, "unknown status" for a number that is none.
HALOCLINE_API const char* halocline_status_name(halocline_status status);
// "0.1.0"
HALOCLINE_API const char* halocline_version(void);

// Cells from lo on, up to hi, which is the first outside, in each dimension.
typedef struct halocline_box {
  int64_t lo[3];
  int64_t hi[3];
} halocline_box;

// Dimensions, and the ends of one.
enum { HALOCLINE_X = 0, HALOCLINE_Y = 1, HALOCLINE_Z = 2 };
enum { HALOCLINE_LOWER = 0, HALOCLINE_UPPER = 1 };

// Sets of the 26 directions {-1, 0, 1}^3 without 0 are masks of bits: halocline_direction_bit(1, 0, 0) | ...; 0 for a direction that
// there is not.
#define HALOCLINE_ALL_DIRECTIONS ((uint32_t)0x3ffffff)
static inline uint32_t halocline_direction_bit(int x, int y, int z) {
  const int i = (z + 1) * 9 + (y + 1) * 3 + (x + 1);
  if (x < -1 || x > 1 || y < -1 || y > 1 || z < -1 || z > 1 || i == 13) return 0;
  return (uint32_t)1 << (i > 13 ? i - 1 : i);
}

enum { HALOCLINE_LOG_ERROR = 0, HALOCLINE_LOG_WARNING = 1, HALOCLINE_LOG_INFO = 2, HALOCLINE_LOG_DEBUG = 3 };
// Takes a message of this process in place of standard error. Called by one thread at a time, which may be another than the caller's;
// must not call Halocline.
typedef void (*halocline_log_callback)(int32_t level, const char* message, void* user);
// From here on messages within HALOCLINE_LOG go to the callback; NULL restores standard error.
HALOCLINE_API halocline_status halocline_set_log_callback(halocline_log_callback callback, void* user);

#ifdef __cplusplus
}
#endif
#endif
