// SPDX-License-Identifier: BSD-3-Clause
// The subdomains of this rank, by their position from 0 to count - 1. Included by halocline.h.
#ifndef HALOCLINE_C_SUBDOMAIN_H
#define HALOCLINE_C_SUBDOMAIN_H

#include "domain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct halocline_subdomain {
  int64_t id;             // in the whole domain
  int32_t device;         // the ordinal of its device among the rank's own
  int32_t native_device;  // as cudaSetDevice() takes it; -1 on the host
  int32_t wraps[3];       // whether there is no halo in a dimension: HALOCLINE_PERIODIC_IN_KERNEL, and not cut
  int32_t reserved;
  halocline_box owned;
  halocline_box interior;  // cells whose update reads no halo
} halocline_subdomain;

// After plan(), as all functions here.
HALOCLINE_API halocline_status halocline_domain_subdomain_count(const halocline_domain* domain, int32_t* count);
HALOCLINE_API halocline_status halocline_subdomain_get(const halocline_domain* domain, int32_t subdomain,
                                                       halocline_subdomain* result);
// The cells whose update reads the halo, as disjoint boxes. Writes up to `capacity` of them, and their number, which may be larger;
// boxes may be NULL where capacity is 0.
HALOCLINE_API halocline_status halocline_subdomain_boundary(const halocline_domain* domain, int32_t subdomain,
                                                            int32_t capacity, halocline_box* boxes, int32_t* count);
// The cells that a step has to update, counted from the last exchange: 0 is the step right after it.
HALOCLINE_API halocline_status halocline_subdomain_update_box(const halocline_domain* domain, int32_t subdomain,
                                                              int32_t step, halocline_box* box);
// From here on interiors are whole tiles of so many cells. After realize(), not while an exchange is under way. Local.
HALOCLINE_API halocline_status halocline_domain_use_tiles(halocline_domain* domain, const int64_t tile[3]);

#ifdef __cplusplus
}
#endif
#endif
