// SPDX-License-Identifier: BSD-3-Clause
// Domains: made, planned, realized, closed. Included by halocline.h.
#ifndef HALOCLINE_C_DOMAIN_H
#define HALOCLINE_C_DOMAIN_H

#include "options.h"
#include "stencil.h"

#ifdef __cplusplus
extern "C" {
#endif

// A distributed 3-D domain. Add fields, realize, then exchange. After an error other than HALOCLINE_INVALID_ARGUMENT the domain has
// failed: every function but close and destroy returns that error again.
typedef struct halocline_domain halocline_domain;

// Without MPI: this process drives all devices. stencil: what a step reads of fields that have no stencil of their own. options may
// be NULL.
HALOCLINE_API halocline_status halocline_domain_create(const int64_t extent[3], const halocline_stencil* stencil,
                                                       const halocline_options* options, halocline_domain** domain);
// Collective over an intra-communicator, which is given by its Fortran handle, MPI_Comm_c2f(comm), and is duplicated. MPI is
// initialised, with MPI_THREAD_FUNNELED or more. HALOCLINE_CAPABILITY_ERROR in a build without MPI.
HALOCLINE_API halocline_status halocline_domain_create_mpi(const int64_t extent[3], const halocline_stencil* stencil,
                                                           int64_t comm, const halocline_options* options,
                                                           halocline_domain** domain);
// The same for codes with a decomposition of their own: each rank gives the boxes that it owns, one for each device that it drives.
// The boxes of all ranks together are a domain that begins at 0, 0, 0, cut by planes that go all the way through it. Nothing is
// partitioned or placed.
HALOCLINE_API halocline_status halocline_domain_create_from_boxes(int32_t count, const halocline_box* boxes,
                                                                  const halocline_stencil* stencil,
                                                                  const halocline_options* options,
                                                                  halocline_domain** domain);
HALOCLINE_API halocline_status halocline_domain_create_from_boxes_mpi(int32_t count, const halocline_box* boxes,
                                                                      const halocline_stencil* stencil, int64_t comm,
                                                                      const halocline_options* options,
                                                                      halocline_domain** domain);

// Collective, before plan(): chooses transports, messages, grid and sizes of tuning by trials of about budget_seconds (0: 2) in all.
// What is not 3 % faster is not chosen. file: keeps choices for later jobs; NULL or "": none. again: 1 tries even if the file has one.
HALOCLINE_API halocline_status halocline_domain_tune(halocline_domain* domain, const char* file, double budget_seconds,
                                                     int32_t again);
// Collective: discovers the machine, partitions and places, so that subdomains are known. realize() does it where it was not done.
HALOCLINE_API halocline_status halocline_domain_plan(halocline_domain* domain);
// Collective: allocates, finds out what the machine can do, routes, and builds the exchange.
HALOCLINE_API halocline_status halocline_domain_realize(halocline_domain* domain);
// Runs a step's work of a subdomain: enqueues it in the subdomain's stream, and leaves cells that are still read as they are.
typedef halocline_status (*halocline_kernel)(int32_t subdomain, void* user);
// Collective, after realize(): runs kernel() for 0.2 s on each device. speeds: for each of this rank's devices, cells a second.
HALOCLINE_API halocline_status halocline_domain_measure(halocline_domain* domain, halocline_kernel kernel, void* user,
                                                        double* speeds);
// Collective: cuts the domain anew, in proportion to the speeds (above 0, any unit) of this rank's devices, and moves the owned cells
// of all buffers there; what follows is as without it, bit for bit. Views and subdomains from before are invalid; halos are
// filled by the next exchange. count 0: speeds of a standard kernel, as with options.measure_weights; speeds may be NULL then.
// HALOCLINE_INVALID_ARGUMENT, with nothing changed, while an exchange is under way or a graph exists, and for a domain of boxes, of
// cuts or with arrays of the program's.
HALOCLINE_API halocline_status halocline_domain_rebalance(halocline_domain* domain, int32_t count,
                                                          const double* speeds);
// Collective: waits for all work, and frees memory, streams and graphs. Views are invalid afterwards. Then destroy the handle.
HALOCLINE_API halocline_status halocline_domain_close(halocline_domain* domain);
// Frees the handle and sets it to NULL; nothing for NULL. Does not communicate: a realized domain that was not closed leaks its device
// memory, which is logged.
HALOCLINE_API halocline_status halocline_domain_destroy(halocline_domain** domain);

// The rank of this process in the domain's communicator, and the number of ranks. After plan().
HALOCLINE_API halocline_status halocline_domain_rank(const halocline_domain* domain, int32_t* rank);
HALOCLINE_API halocline_status halocline_domain_size(const halocline_domain* domain, int32_t* size);
// Whether fields are in host memory: 1 for host devices, 0 for GPUs. After plan().
HALOCLINE_API halocline_status halocline_domain_on_host(const halocline_domain* domain, int32_t* on_host);

// What was decided, and why; after realize(). The machine that was planned for, as a document of JSON; after plan(). The text is valid
// until the next call of the same function for this domain, or until the domain is destroyed.
HALOCLINE_API halocline_status halocline_domain_explain(halocline_domain* domain, const char** text);
HALOCLINE_API halocline_status halocline_domain_machine(halocline_domain* domain, const char** json);

#ifdef __cplusplus
}
#endif
#endif
