// SPDX-License-Identifier: BSD-3-Clause
// Fields, the user's own arrays, and views of the memory of fields. Included by halocline.h.
#ifndef HALOCLINE_C_FIELD_H
#define HALOCLINE_C_FIELD_H

#include "domain.h"
#include "stencil.h"

#ifdef __cplusplus
extern "C" {
#endif

// Types of elements; c64 and c128 are complex numbers of two floats or doubles.
enum {
  HALOCLINE_I8 = 1,
  HALOCLINE_U8 = 2,
  HALOCLINE_I16 = 3,
  HALOCLINE_U16 = 4,
  HALOCLINE_I32 = 5,
  HALOCLINE_U32 = 6,
  HALOCLINE_I64 = 7,
  HALOCLINE_U64 = 8,
  HALOCLINE_F16 = 9,
  HALOCLINE_BF16 = 10,
  HALOCLINE_F32 = 11,
  HALOCLINE_F64 = 12,
  HALOCLINE_C64 = 13,
  HALOCLINE_C128 = 14
};

// The number of a field, in the order in which fields were added, from 0.
typedef int32_t halocline_field;

// Members that are 0 or NULL have their defaults.
typedef struct halocline_field_options {
  size_t size;
  int32_t components;                // values of a cell, each an array of its own; 1
  int32_t buffers;                   // arrays of this shape: 1, or 2 to read one, write the other and swap, or more; 1
  const halocline_stencil* stencil;  // what a step reads of this field; the domain's stencil
  int32_t staggered[3];              // on extent + 1 points where the dimension is open
  int32_t wire;  // a narrower format in which its cells are sent: HALOCLINE_F32 of HALOCLINE_F64, ...; none
  const uint32_t* component_directions;  // for each component the directions in which it is sent; all
} halocline_field_options;

#ifdef __cplusplus
#define HALOCLINE_FIELD_OPTIONS_INIT \
  halocline_field_options { sizeof(halocline_field_options) }
#else
#define HALOCLINE_FIELD_OPTIONS_INIT \
  { .size = sizeof(halocline_field_options) }
#endif

// Before halocline_domain_plan() and _realize(); the same on all ranks. options may be NULL. HALOCLINE_INVALID_ARGUMENT for a name that
// is taken.
HALOCLINE_API halocline_status halocline_domain_add_field(halocline_domain* domain, const char* name, int32_t element,
                                                          const halocline_field_options* options,
                                                          halocline_field* field);

// An array of the user's: all its cells, halos included, in any order and with any gaps in memory.
typedef struct halocline_array {
  void* data;                // cell (0, 0, 0) of the array, a corner of its halo
  int64_t extent[3];         // cells, halos included
  int64_t stride[3];         // bytes of a step in x, y, z
  int64_t halo_below[3];     // cells below the owned ones; at least the field's halo
  int64_t halo_above[3];     // and above
  int64_t component_stride;  // bytes of a step from one component to the next
  int32_t components;        // compared with the field's where it is not 0, as element is
  int32_t element;
} halocline_array;

// The array for a buffer (from 0) of a field of a local subdomain: host memory or, for GPUs, device memory. After
// halocline_domain_plan(), before _realize(), for each of the field's buffers and all local subdomains. Not copied: it stays valid
// until the domain is closed.
HALOCLINE_API halocline_status halocline_domain_use_array(halocline_domain* domain, halocline_field field,
                                                          int32_t subdomain, int32_t buffer,
                                                          const halocline_array* array);

// One array of a field of a subdomain. Cell (x, y, z), component c is at
//     (char*)data + (x - owned.lo[0]) * stride[0] + (y - owned.lo[1]) * stride[1] + (z - owned.lo[2]) * stride[2] + c * component_stride
// for all cells of with_halo. Valid until the domain is closed; keeps referring to its buffer after a swap. The memory is the
// device's.
typedef struct halocline_view {
  void* data;  // the first owned cell
  int64_t stride[3];
  int64_t component_stride;
  halocline_box owned;
  halocline_box with_halo;
  int32_t element;
  int32_t components;
} halocline_view;

// The address of a cell, as void*; for memory of the host.
static inline void* halocline_cell(const halocline_view* view, int64_t x, int64_t y, int64_t z) {
  return (char*)view->data + (x - view->owned.lo[0]) * view->stride[0] + (y - view->owned.lo[1]) * view->stride[1] +
         (z - view->owned.lo[2]) * view->stride[2];
}

// The field's buffer that is current after `ahead` swaps: 0 is what a step reads, 1 what it writes with two buffers. After
// halocline_domain_realize().
HALOCLINE_API halocline_status halocline_subdomain_view(const halocline_domain* domain, int32_t subdomain,
                                                        halocline_field field, int32_t ahead, halocline_view* view);

#ifdef __cplusplus
}
#endif
#endif
