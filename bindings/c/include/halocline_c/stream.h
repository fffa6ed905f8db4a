// SPDX-License-Identifier: BSD-3-Clause
// Work in streams, and steps that are captured. Included by halocline.h.
#ifndef HALOCLINE_C_STREAM_H
#define HALOCLINE_C_STREAM_H

#include "domain.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where a subdomain's work is enqueued: a cudaStream_t, or NULL on host devices. After realize().
HALOCLINE_API halocline_status halocline_subdomain_stream(const halocline_domain* domain, int32_t subdomain,
                                                          void** stream);
// Takes the caller's streams (cudaStream_t), one for each local subdomain, in place of the domain's. They must outlive the domain, or
// the next call. HALOCLINE_CAPABILITY_ERROR on host devices.
HALOCLINE_API halocline_status halocline_domain_use_streams(halocline_domain* domain, int32_t count,
                                                            void* const* streams);
// Later work in the subdomains' streams waits for the work so far in a stream of the caller's (cudaStream_t); and the opposite
// direction. HALOCLINE_CAPABILITY_ERROR on host devices, HALOCLINE_INVALID_ARGUMENT for CUDA's legacy default stream.
HALOCLINE_API halocline_status halocline_domain_wait_for_stream(halocline_domain* domain, void* stream);
HALOCLINE_API halocline_status halocline_domain_let_stream_wait(halocline_domain* domain, void* stream);

// Updates the cells of a box; called by threads of the library for disjoint parts of it, at the same time. Must not call Halocline.
typedef void (*halocline_body)(const halocline_box* part, void* user);
// Enqueues body(box) in a subdomain's stream. user must stay valid until the work is done, or as long as a graph that has it.
// HALOCLINE_CAPABILITY_ERROR on GPUs: launch a kernel in the subdomain's stream.
HALOCLINE_API halocline_status halocline_subdomain_launch(const halocline_domain* domain, int32_t subdomain,
                                                          const halocline_box* box, halocline_body body, void* user);

// Steps that were recorded, to be launched again and again: a CUDA graph for each device.
typedef struct halocline_graph halocline_graph;

// Records what is enqueued in this rank's subdomains' streams between the two calls (exchanges, swaps, the caller's own work) instead
// of running it: whole cycles of swaps. Local. HALOCLINE_CAPABILITY_ERROR where a route needs the host.
HALOCLINE_API halocline_status halocline_domain_begin_capture(halocline_domain* domain);
HALOCLINE_API halocline_status halocline_domain_end_capture(halocline_domain* domain, halocline_graph** graph);
// Enqueues the recorded steps. All ranks launch the same graphs in the same order. HALOCLINE_INVALID_ARGUMENT once the domain is closed.
HALOCLINE_API halocline_status halocline_graph_launch(halocline_graph* graph);
// Frees the handle and sets it to NULL, once its work is done; nothing for NULL.
HALOCLINE_API halocline_status halocline_graph_destroy(halocline_graph** graph);

#ifdef __cplusplus
}
#endif
#endif
