// SPDX-License-Identifier: BSD-3-Clause
// What a step reads around a cell. Included by halocline.h.
#ifndef HALOCLINE_C_STENCIL_H
#define HALOCLINE_C_STENCIL_H

#include "base.h"

// The 12 edges and the 8 corners as sets of directions.
#define HALOCLINE_EDGES ((uint32_t)0x1554aaa)
#define HALOCLINE_CORNERS ((uint32_t)0x28a0145)

// Cells read below and above in each dimension, and the edges and corners that are not read: 0 for none, HALOCLINE_EDGES |
// HALOCLINE_CORNERS for all of them.
typedef struct halocline_stencil {
  int64_t lower[3];
  int64_t upper[3];
  uint32_t without;
} halocline_stencil;

// `radius` cells on all sides, with edges and corners.
static inline halocline_stencil halocline_stencil_box(int64_t radius) {
  const halocline_stencil stencil = {{radius, radius, radius}, {radius, radius, radius}, 0};
  return stencil;
}

// The same without edges and corners, such as the 7-point stencil.
static inline halocline_stencil halocline_stencil_star(int64_t radius) {
  halocline_stencil stencil = halocline_stencil_box(radius);
  stencil.without = HALOCLINE_EDGES | HALOCLINE_CORNERS;
  return stencil;
}

#endif
