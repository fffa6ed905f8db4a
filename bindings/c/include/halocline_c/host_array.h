// SPDX-License-Identifier: BSD-3-Clause
// Copies of a subdomain's cells in memory of the host. Included by halocline.h.
#ifndef HALOCLINE_C_HOST_ARRAY_H
#define HALOCLINE_C_HOST_ARRAY_H

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

// Pinned host memory with the shape of one array of a field of a subdomain, dense, x fastest, components one after another.
typedef struct halocline_host_array halocline_host_array;

// For the cells of a box within the field's with_halo, or for all of them where box is NULL. After realize(). Uninitialised. The box
// is in coordinates of the domain.
HALOCLINE_API halocline_status halocline_host_array_create(const halocline_domain* domain, int32_t subdomain,
                                                           halocline_field field, const halocline_box* box,
                                                           halocline_host_array** array);
// Reuses the memory for another box of at most as many cells, which may be another subdomain's.
HALOCLINE_API halocline_status halocline_host_array_move_to(halocline_host_array* array, int32_t subdomain,
                                                            const halocline_box* box);
// Its memory; valid until the array is destroyed. With a box, owned and with_halo are the box.
HALOCLINE_API halocline_status halocline_host_array_view(const halocline_host_array* array, halocline_view* view);
// Copies the buffer that is current after `ahead` swaps here, after all work in the subdomain's stream; and the opposite direction.
// Complete when they return.
HALOCLINE_API halocline_status halocline_host_array_download(halocline_host_array* array, int32_t ahead);
HALOCLINE_API halocline_status halocline_host_array_upload(halocline_host_array* array, int32_t ahead);
// Frees it and sets it to NULL; nothing for NULL.
HALOCLINE_API halocline_status halocline_host_array_destroy(halocline_host_array** array);

#ifdef __cplusplus
}
#endif
#endif
