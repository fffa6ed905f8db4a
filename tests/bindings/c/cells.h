// SPDX-License-Identifier: BSD-3-Clause
#ifndef TESTS_BINDINGS_C_CELLS_H
#define TESTS_BINDINGS_C_CELLS_H

#include <halocline.h>

enum { EXTENT_X = 12, EXTENT_Y = 10, EXTENT_Z = 8 };
extern const int64_t feature_extent[3];

// Two host devices; more options are the caller's.
halocline_options host_options(void);

// A cell's own value, by its place in the periodic domain, and a component.
double value_of(int64_t x, int64_t y, int64_t z, int component);

// Sets owned cells of a field of double to their values, and halo cells to -1.
void set_cells(const halocline_domain* domain, halocline_field field);

void finish_with(void);
void own_arrays(void);
void open_boundaries(void);

#endif
