// SPDX-License-Identifier: BSD-3-Clause
// Halocline for C: the interface of halocline/*.hpp with opaque handles and status codes. Needs no header of MPI or CUDA.
//
//     halocline_domain* domain = NULL;
//     const halocline_stencil stencil = halocline_stencil_star(1);
//     halocline_domain_create_mpi(extent, &stencil, MPI_Comm_c2f(MPI_COMM_WORLD), NULL, &domain);
//     halocline_domain_add_field(domain, "u", HALOCLINE_F64, NULL, &u);
//     halocline_domain_realize(domain);
//     halocline_domain_exchange(domain, 0, NULL);
//
// Rules of all functions:
// - They return a halocline_status; halocline_last_error() has the text. Results are written through the last arguments, and only
//   on success.
// - Dimensions are in the order x, y, z; x is the fastest in memory. Boxes are half-open, in coordinates of the whole domain, from 0.
// - In structs of options a member that is 0 or NULL has its default, so that zeroed memory with `size` set is valid.
// - Booleans are int32_t, 0 or 1; enumerations are int32_t with named constants. Arrays that are given are read before the
//   function returns, but for the cells of fields.
// - "Collective" functions are called by all ranks of a domain in the same order. One thread at a time calls a domain's functions.
#ifndef HALOCLINE_H
#define HALOCLINE_H

#include "halocline_c/base.h"
#include "halocline_c/domain.h"
#include "halocline_c/exchange.h"
#include "halocline_c/field.h"
#include "halocline_c/files.h"
#include "halocline_c/host_array.h"
#include "halocline_c/options.h"
#include "halocline_c/stencil.h"
#include "halocline_c/stream.h"
#include "halocline_c/subdomain.h"

#endif
