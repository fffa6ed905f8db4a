// SPDX-License-Identifier: BSD-3-Clause
// Exchanges. Included by halocline.h.
#ifndef HALOCLINE_C_EXCHANGE_H
#define HALOCLINE_C_EXCHANGE_H

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

// What an exchange moves of a field; the same on all ranks. What is sent towards d fills the neighbour's halo on side -d.
typedef struct halocline_transfer {
  halocline_field field;
  uint32_t directions;  // in which owned cells are sent; 0: all
  int64_t depth;        // halo cells are filled up to this distance from the owned cells; 0: the whole halo
} halocline_transfer;

// The functions below move all fields where count is 0, and then transfers may be NULL. All ranks call them in the same order. They
// enqueue work in the subdomains' streams, after what is there, and return; see halocline_domain_synchronize().

// Fills the halos of the fields' current buffers.
HALOCLINE_API halocline_status halocline_domain_exchange(halocline_domain* domain, int32_t count,
                                                         const halocline_transfer* transfers);

// The same in two halves. In between, owned cells may be read; those outside the interiors must not be written, nor halo cells read
// or written. One exchange of a domain is under way at a time.
HALOCLINE_API halocline_status halocline_domain_start_exchange(halocline_domain* domain, int32_t count,
                                                               const halocline_transfer* transfers);
// Work enqueued after this sees full halos and may overwrite cells that were sent. Blocks the host only where messages go by MPI.
HALOCLINE_API halocline_status halocline_domain_finish_exchange(halocline_domain* domain);
// Makes progress, as MPI_Test does, and whether finish would not block the host. 1 where no exchange is under way.
HALOCLINE_API halocline_status halocline_domain_is_ready(halocline_domain* domain, int32_t* ready);

// Updates boxes of a subdomain's boundary: enqueues the work in the subdomain's stream, which is then a stream of these boxes. Calls
// nothing of the domain but what is in subdomain.h and views. Another status than HALOCLINE_SUCCESS leaves the domain failed.
typedef halocline_status (*halocline_boundary_update)(int32_t subdomain, int32_t count, const halocline_box* boxes,
                                                      void* user);
// Finish with the update of the boundaries: update() is called for parts of each local subdomain's boundary, each as soon as what it
// reads has arrived.
HALOCLINE_API halocline_status halocline_domain_finish_exchange_with(halocline_domain* domain,
                                                                     halocline_boundary_update update, void* user);

enum {
  HALOCLINE_ADD = 0,     // halo cells are added to the owned cells that they are copies of
  HALOCLINE_REPLACE = 1  // the last of them becomes its value
};
// The exchange backwards, in a fixed order. The first call is collective, as it allocates.
HALOCLINE_API halocline_status halocline_domain_accumulate(halocline_domain* domain, int32_t combine, int32_t count,
                                                           const halocline_transfer* transfers);

// The number that a reduction computes from all values of a field. A NaN among them gives NaN.
enum { HALOCLINE_SUM = 0, HALOCLINE_SUM_OF_SQUARES = 1, HALOCLINE_MIN = 2, HALOCLINE_MAX = 3, HALOCLINE_MAX_ABS = 4 };
// The number of a reduction, in the order in which they were added, from 0.
typedef int32_t halocline_reduction;
// Of a field of HALOCLINE_F32 or _F64, over all its components. Before halocline_domain_plan() and _realize(); the same on all ranks.
HALOCLINE_API halocline_status halocline_domain_add_reduction(halocline_domain* domain, halocline_field field,
                                                              int32_t what, halocline_reduction* reduction);
// Reductions of fields in their current buffers, over the cells that all ranks own, in double precision: the same bits on all ranks and
// in every run. Enqueues work, and can be captured, as an exchange. All ranks call it in the same order.
HALOCLINE_API halocline_status halocline_domain_reduce(halocline_domain* domain, int32_t count,
                                                       const halocline_reduction* reductions);
// The latest result, when the work in the subdomains' streams is done, for which it waits.
HALOCLINE_API halocline_status halocline_domain_value(halocline_domain* domain, halocline_reduction reduction,
                                                      double* value);
// The address of the result in the memory of the subdomain's device, for work in its stream; the same until the domain is closed or
// rebalanced.
HALOCLINE_API halocline_status halocline_subdomain_result(halocline_domain* domain, int32_t subdomain,
                                                          halocline_reduction reduction, const double** result);

// The next buffer of a field becomes the current one. Local; all ranks do it at the same point.
HALOCLINE_API halocline_status halocline_domain_swap(halocline_domain* domain, halocline_field field);

// Blocks until all work in all local subdomains' streams is done. On host devices, call it before the program itself reads or writes
// cells after an exchange.
HALOCLINE_API halocline_status halocline_domain_synchronize(halocline_domain* domain);

// Fills halo cells beyond an end (HALOCLINE_LOWER or _UPPER) of an open dimension: enqueues the work in the subdomain's stream.
typedef halocline_status (*halocline_boundary_fill)(int32_t subdomain, halocline_field field, int32_t dimension,
                                                    int32_t side, const halocline_box* box, void* user);
// From here on fill() is called by finish for each local subdomain at an open end, x then y then z. Before the first exchange of a
// field that reads beyond an open end; NULL: these halo cells keep their values.
HALOCLINE_API halocline_status halocline_domain_on_open_boundary(halocline_domain* domain, halocline_boundary_fill fill,
                                                                 void* user);
// Calls it for the current buffers of all fields, before a step that no exchange precedes. Local.
HALOCLINE_API halocline_status halocline_domain_fill_open_boundaries(halocline_domain* domain, int32_t step);

#ifdef __cplusplus
}
#endif
#endif
