// SPDX-License-Identifier: BSD-3-Clause
// Checks that count themselves, and end the program at the first failure.
#ifndef TESTS_BINDINGS_C_CHECK_H
#define TESTS_BINDINGS_C_CHECK_H

#include <halocline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern long checks;

#define CHECK(condition)                                                      \
  do {                                                                        \
    ++checks;                                                                 \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: FAILED: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

// A call that succeeds.
#define OK(call)                                                                                                  \
  do {                                                                                                            \
    const halocline_status ok_status = (call);                                                                    \
    ++checks;                                                                                                     \
    if (ok_status != HALOCLINE_SUCCESS) {                                                                         \
      fprintf(stderr, "%s:%d: FAILED: %s: %s: %s\n", __FILE__, __LINE__, #call, halocline_status_name(ok_status), \
              halocline_last_error());                                                                            \
      exit(1);                                                                                                    \
    }                                                                                                             \
  } while (0)

// A call that fails with a status, and with a text that contains a part.
#define FAILS(call, status, part)                                                                                \
  do {                                                                                                           \
    const halocline_status fails_status = (call);                                                                \
    ++checks;                                                                                                    \
    if (fails_status != (status) || strstr(halocline_last_error(), part) == NULL) {                              \
      fprintf(stderr, "%s:%d: FAILED: %s: %s: %s; expected %s: %s\n", __FILE__, __LINE__, #call,                 \
              halocline_status_name(fails_status), halocline_last_error(), halocline_status_name(status), part); \
      exit(1);                                                                                                   \
    }                                                                                                            \
  } while (0)

#endif
